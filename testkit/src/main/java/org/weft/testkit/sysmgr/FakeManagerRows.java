package org.weft.testkit.sysmgr;

import java.util.Collection;
import org.weft.protocol.wire.ManagerRow;

/** Looks up managers' rows. */
final class FakeManagerRows {
  private FakeManagerRows() {}

  /** The number of the manager with that identity; 0 if there is none. */
  static int idOf(Collection<ManagerRow> managers, String identity) {
    return managers.stream()
        .filter(row -> row.getIdentity().equals(identity))
        .mapToInt(ManagerRow::getManagerId)
        .findFirst()
        .orElse(0);
  }
}
