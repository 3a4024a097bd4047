package org.weft.testkit.sysmgr;

import java.util.Collection;
import java.util.List;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.RecoveryOrder;
import org.weft.protocol.wire.VolumeRow;

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

  /** Ordered: the manager that joins next is to recover the volume; else its journal is whole. */
  static VolumeRow recovery(VolumeRow row, boolean ordered) {
    return ordered
        ? row.toBuilder()
            .setManagerId(0)
            .setRecovery(RecoveryOrder.newBuilder().setFirstEpoch(row.getEpoch() + 1))
            .build()
        : row.toBuilder().clearRecovery().build();
  }

  static void requireLast(int managerId, List<Long> starts, long nonce) throws WeftException {
    if (starts.isEmpty() || starts.get(starts.size() - 1) != nonce) {
      throw new WeftException(
          ErrorCode.FENCED, "manager " + managerId + " has started again since");
    }
  }
}
