package org.weft.testkit.sysmgr;

import java.util.Collection;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.ReadmitOsdRequest;

/** An OSD's row as it reports, and as its quarantine begins and ends. */
final class FakeOsdRows {
  private FakeOsdRows() {}

  static OsdRow begun(OsdRow row, boolean lostWrites) {
    return row.toBuilder()
        .setState(NodeState.QUARANTINED)
        .setQuarantine(row.getQuarantine() + 1)
        .setLostWrites(lostWrites)
        .clearOpenVolume()
        .build();
  }

  static OsdRow ended(OsdRow row) {
    return row.toBuilder().setState(NodeState.UP).clearLostWrites().clearOpenVolume().build();
  }

  static void requireSame(OsdRow row, ReadmitOsdRequest compared) throws WeftException {
    if (row == null
        || row.getIncarnation() != compared.getIncarnation()
        || row.getQuarantine() != compared.getQuarantine()) {
      throw new WeftException(
          ErrorCode.NOT_FOUND, "OSD " + compared.getOsdId() + " is not as it was compared");
    }
  }

  static OsdRow merged(OsdRow row, HeartbeatRequest beat) {
    return row.toBuilder()
        .setState(beat.getLeaving() ? NodeState.DOWN : row.getState())
        .setCapacityBytes(beat.getCapacityBytes())
        .setUsedBytes(beat.getUsedBytes())
        .setReserveBytes(beat.getReserveBytes())
        .setObjects(beat.getObjects())
        .setDurableCheckpoint(beat.getDurableCheckpoint())
        .build();
  }

  /** The row of an OSD that joins; a quarantine goes on over it. */
  static OsdRow joined(int id, JoinRequest request, OsdRow before) {
    boolean quarantined = before.getState() == NodeState.QUARANTINED;
    return OsdRow.newBuilder()
        .setOsdId(id)
        .addAllAddresses(request.getAddressesList())
        .setState(quarantined ? NodeState.QUARANTINED : NodeState.UP)
        .setQuarantine(before.getQuarantine())
        .setLostWrites(before.getLostWrites())
        .addAllOpenVolume(before.getOpenVolumeList())
        .setHost(request.getHost())
        .setIncarnation(request.getIncarnation())
        .setBladeSet("default")
        .setCapacityBytes(request.getCapacityBytes())
        .setIdentity(request.getIdentity())
        .build();
  }

  /** The id of the OSD with that identity; 0 if none has joined. */
  static int idOf(Collection<OsdRow> rows, String identity) {
    return rows.stream()
        .filter(row -> row.getIdentity().equals(identity))
        .mapToInt(OsdRow::getOsdId)
        .findFirst()
        .orElse(0);
  }
}
