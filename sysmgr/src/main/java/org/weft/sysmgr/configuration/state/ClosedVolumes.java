package org.weft.sysmgr.configuration.state;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.Quarantine;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Which volumes an OSD in quarantine may serve, and when its quarantine is over (P 5.8). {@link
 * Configuration} answers with it, and each change of the configuration ends quarantines by it.
 * Pure.
 */
public final class ClosedVolumes {
  private ClosedVolumes() {}

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

  /**
   * The OSD as it is after a command: its quarantine has ended, or it is not UP.
   *
   * @param volumes all that there are after the command
   */
  public static OsdNode settled(OsdNode osd, SortedMap<PartitionId, Volume> volumes) {
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
