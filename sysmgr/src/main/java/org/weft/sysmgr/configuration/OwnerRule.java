package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The manager that may speak for a volume: its manager, in the epoch that was given out last (P
 * 6.2).
 */
final class OwnerRule {
  private OwnerRule() {}

  /** Why that manager's word is not taken; empty if it is. */
  static Optional<Decision> refusal(
      Configuration state, PartitionId id, ManagerId manager, long epoch) {
    Volume volume = state.volumes().get(id);
    if (volume == null) {
      return Optional.of(Decision.refused(state, ErrorCode.NOT_FOUND, "there is no volume " + id));
    }
    if (volume.isServedBy(manager, epoch)) {
      return Optional.empty();
    }
    return Optional.of(
        Decision.refused(
            state,
            ErrorCode.FENCED,
            "volume "
                + volume.id()
                + " is in epoch "
                + volume.epoch()
                + " of manager-"
                + volume.owner().map(Object::toString).orElse("none")
                + ", not in epoch "
                + epoch
                + " of manager-"
                + manager));
  }
}
