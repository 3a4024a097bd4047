package org.weft.sysmgr.configuration;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.ErrorCode;

/**
 * The end of a quarantine (P 5.8): the manager of every formatted volume of the OSD's BladeSet has
 * compared what is on it. It ends at once where there is no such volume.
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
      return Decision.unchanged(state, new Answer.Done());
    }
    Draft draft = new Draft(state);
    draft.osds.put(osd.id(), osd.with(osd.quarantine().readmittedBy(command.volume())));
    return new Decision(draft.freeze(), new Answer.Done());
  }

  /** Volumes whose managers have not compared the OSD yet; empty if it is not in quarantine. */
  static SortedSet<PartitionId> awaited(OsdNode osd, Iterable<Volume> volumes) {
    SortedSet<PartitionId> awaited = new TreeSet<>();
    if (osd.quarantine().active()) {
      for (Volume volume : volumes) {
        if (volume.formatted()
            && volume.bladeSet().equals(osd.bladeSet())
            && !osd.quarantine().readmittedBy().contains(volume.id())) {
          awaited.add(volume.id());
        }
      }
    }
    return awaited;
  }

  /** The OSD as it is after a command: its quarantine has ended, or it is not UP. */
  static OsdNode settled(OsdNode osd, Iterable<Volume> volumes) {
    if (!osd.quarantine().active() || osd.node().liveness() == Liveness.DOWN) {
      return osd;
    }
    if (awaited(osd, volumes).isEmpty()) {
      return osd.readmitted();
    }
    return osd.node().liveness() == Liveness.UP
        ? osd.with(osd.node().with(Liveness.QUARANTINED, false, osd.node().sinceMillis()))
        : osd;
  }
}
