package org.weft.sysmgr.configuration;

import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.ErrorCode;

/**
 * The end of a quarantine (P 5.8), volume by volume: the manager of a volume has compared what is
 * on the OSD, which then serves that volume's clients. It is over when the managers of all
 * formatted volumes of the OSD's BladeSet that there were at its beginning have done so; at once
 * where there is none. A volume that was made since has nothing on the OSD that could be old: an
 * OSD gets the key of a volume from SysMgr alone.
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
    draft.osds.put(osd.id(), osd.with(osd.quarantine().comparedBy(command.volume())));
    return new Decision(draft.freeze(), new Answer.Done());
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

  /** Formatted volumes whose managers have not compared the OSD yet. */
  static SortedSet<PartitionId> awaited(OsdNode osd, SortedMap<PartitionId, Volume> volumes) {
    SortedSet<PartitionId> awaited = new TreeSet<>();
    for (PartitionId id : osd.quarantine().closed()) {
      Volume volume = volumes.get(id);
      if (volume != null && volume.formatted()) {
        awaited.add(id);
      }
    }
    return awaited;
  }

  /** Volumes whose clients the OSD may serve, whether it knows that or not. */
  static SortedSet<PartitionId> open(OsdNode osd, SortedMap<PartitionId, Volume> volumes) {
    SortedSet<PartitionId> open = new TreeSet<>();
    if (!osd.isGivenUp()) {
      open.addAll(volumes.keySet());
      open.removeAll(osd.quarantine().closed());
    }
    return open;
  }

  /** What the OSD says that it serves, as far as that is so of the quarantine it is in. */
  static SortedSet<PartitionId> served(
      OsdNode osd, OpenVolumes said, SortedMap<PartitionId, Volume> volumes) {
    if (said.quarantine() != osd.quarantine().number()) {
      return osd.quarantine().open();
    }
    SortedSet<PartitionId> served = open(osd, volumes);
    served.retainAll(said.volumes());
    return served;
  }

  /** The OSD as it is after a command: its quarantine has ended, or it is not UP. */
  static OsdNode settled(OsdNode osd, SortedMap<PartitionId, Volume> volumes) {
    Quarantine among = osd.quarantine().among(new TreeSet<>(volumes.keySet()));
    OsdNode now = among.equals(osd.quarantine()) ? osd : osd.with(among);
    Liveness liveness = now.node().liveness();
    if (liveness == Liveness.DOWN) {
      return now;
    }
    if (now.quarantine().active()) {
      if (!awaited(now, volumes).isEmpty()) {
        return liveness == Liveness.UP
            ? now.with(now.node().with(Liveness.QUARANTINED, false, now.node().sinceMillis()))
            : now;
      }
      now = now.readmitted();
    }
    boolean remembers = liveness == Liveness.UP && !now.quarantine().open().isEmpty();
    return remembers ? now.with(now.quarantine().serving(new TreeSet<>())) : now;
  }
}
