package org.weft.metadata.placement;

import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * An OSD of the cluster's table as it concerns one volume: its quarantine ends for each volume
 * apart (P 5.8).
 */
public record OsdOfVolume(OsdRow row, PartitionId volume) {
  public boolean isDown() {
    return row.getState() == NodeState.DOWN;
  }

  /** The volume's clients are served, as the OSD has said itself. */
  public boolean isUp() {
    return row.getState() == NodeState.UP || row.getState() == NodeState.QUARANTINED && isOpen();
  }

  /** It is in quarantine, or silent in the midst of one, and the volume has no part in that. */
  private boolean isOpen() {
    return !isDown() && row.getOpenVolumeList().contains(volume.value());
  }

  /** It serves managers: up, or in quarantine. */
  public boolean servesManagers() {
    return row.getState() == NodeState.UP || row.getState() == NodeState.QUARANTINED;
  }

  /** It is in quarantine, which waits for this volume's vote. */
  public boolean isToBeCompared() {
    return row.getState() == NodeState.QUARANTINED && isAwaited();
  }

  /**
   * In quarantine or silent in the middle of one. The volume has not voted yet, as far as the table
   * knows.
   */
  public boolean isAwaited() {
    return !isOpen()
        && (row.getAwaitedVolumeCount() == 0
            || row.getAwaitedVolumeList().contains(volume.value()));
  }

  /**
   * It lost power, and the volume's clients are refused for it. One that is silent is in quarantine
   * still; of one that is down nothing is known.
   */
  public boolean lacksWrites() {
    return !isDown() && row.getLostWrites() && !isOpen();
  }

  /** It lost power, and what that means for the volume is not decided yet. */
  public boolean isLossy() {
    return lacksWrites() && isAwaited();
  }

  /**
   * Files are written without it. A quarantine that only compares ends soon, and then the component
   * is as good as the others. A mark as missing would race with that end. One in which writes were
   * lost does not end before that has been decided for every file of the volume. Once the volume
   * has voted, the OSD may serve its clients before it has reported that.
   */
  public boolean isGivenUp() {
    return isDown() || row.getState() == NodeState.QUARANTINED && isLossy();
  }
}
