package org.weft.sysmgr.configuration;

import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.Quarantine;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The end of a quarantine (P 5.8), volume by volume. When the manager of a volume has compared what
 * is on the OSD, the OSD serves that volume's clients. It is over when all formatted volumes of the
 * OSD's BladeSet that there were at its beginning are compared. It ends at once where there is none
 * ({@link org.weft.sysmgr.configuration.state.ClosedVolumes}). A volume that was made since has
 * nothing on the OSD that could be old. An OSD gets the key of a volume from SysMgr alone.
 */
final class QuarantineRule {
  private QuarantineRule() {}

  static Decision decide(Configuration state, Command.Readmit command) {
    Optional<Decision> refusal =
        OwnerRule.refusal(state, command.volume(), command.manager(), command.epoch());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null) {
      return Decision.refused(state, ErrorCode.NOT_FOUND, "there is no OSD " + command.osd());
    }
    if (osd.node().incarnation() != command.incarnation()
        || osd.quarantine().number() != command.quarantine()
        || osd.node().liveness() == Liveness.DOWN) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "OSD "
              + command.osd()
              + " is "
              + osd.node().liveness()
              + " as incarnation "
              + Long.toUnsignedString(osd.node().incarnation())
              + " in quarantine "
              + osd.quarantine().number()
              + "; what was compared was incarnation "
              + Long.toUnsignedString(command.incarnation())
              + " in quarantine "
              + command.quarantine()
              + ": compare again");
    }
    if (!osd.quarantine().active()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.osds.put(osd.id(), osd.with(osd.quarantine().comparedBy(command.volume())));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** The quarantine that begins for the OSD now. */
  static Quarantine begun(
      OsdNode osd, SortedMap<PartitionId, Volume> volumes, boolean lostWrites, long nowMillis) {
    SortedSet<PartitionId> own = new TreeSet<>();
    for (Volume volume : volumes.values()) {
      if (volume.bladeSet().equals(osd.bladeSet())) {
        own.add(volume.id());
      }
    }
    return osd.quarantine().begun(lostWrites, own, nowMillis);
  }
}
