package org.weft.testkit.sysmgr;

import java.util.Collection;
import java.util.random.RandomGenerator;
import org.weft.protocol.wire.ManagerRow;

/** Looks up managers' rows, and draws keys. */
final class FakeManagerRows {
  private static final int KEY_BYTES = 32;

  private FakeManagerRows() {}

  /** A working key. */
  static byte[] drawKey(RandomGenerator random) {
    byte[] bytes = new byte[KEY_BYTES];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The number of the manager with that identity; 0 if there is none. */
  static int idOf(Collection<ManagerRow> managers, String identity) {
    return managers.stream()
        .filter(row -> row.getIdentity().equals(identity))
        .mapToInt(ManagerRow::getManagerId)
        .findFirst()
        .orElse(0);
  }
}
