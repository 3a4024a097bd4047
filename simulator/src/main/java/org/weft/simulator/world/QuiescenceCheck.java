package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimManager;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimOsd;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;

/** Says what a world waits for before nothing moves in it any more but heartbeats. */
final class QuiescenceCheck {
  private final OperatorView cluster;
  private final boolean pairs;
  private final MemberReplacements replacements;
  private final BladeSets bladeSets;
  private final List<? extends SimNode> sysmgrs;
  private final List<SimManager> managers;
  private final List<SimOsd> osds;

  /**
   * Checks a whole world.
   *
   * @param pairs managers are backups of each other, and some have no volume
   */
  QuiescenceCheck(
      OperatorView cluster,
      boolean pairs,
      MemberReplacements replacements,
      BladeSets bladeSets,
      List<? extends SimNode> sysmgrs,
      List<SimManager> managers,
      List<SimOsd> osds) {
    this.cluster = cluster;
    this.pairs = pairs;
    this.replacements = replacements;
    this.bladeSets = bladeSets;
    this.sysmgrs = sysmgrs;
    this.managers = managers;
    this.osds = osds;
  }

  /** Sentences; none if all is quiet. */
  List<String> awaited() {
    List<String> awaited = new ArrayList<>();
    if (cluster.configuration().isEmpty() || !sysmgrs.stream().allMatch(SimNode::isRunning)) {
      awaited.add("SysMgr leads");
      return awaited;
    }
    if (!replacements.isOver()) {
      awaited.add("a member of SysMgr is replaced");
    }
    boolean lostAny = osdsSettle(cluster.configuration().get(), awaited);
    if (!managers.stream().allMatch(this::isSettled)) {
      awaited.add("managers serve: " + managers.stream().map(SimManager::health).toList());
    }
    for (SimManager manager : managers) {
      for (VolumeHealth volume : manager.health()) {
        boolean written = volume.getWriteGrants() > 0 || volume.getUnresolvedFiles() > 0;
        if (!isSettled(manager)
            || written && !isCutOfDamage(manager)
            || (volume.getLaggingCopies() > 0 && !lostAny)) {
          awaited.add(manager.name() + " " + manager.problems() + " " + volume);
        }
      }
    }
    return awaited;
  }

  /**
   * A stripe that is to be truncated has lost more than its code bears: its file waits for ever.
   */
  private static boolean isCutOfDamage(SimManager manager) {
    return manager.problems().stream()
        .anyMatch(
            problem -> problem.contains("wait for their truncation to be finished: cannot read"));
  }

  /** Serves what it has; a backup may have no volume. */
  private boolean isSettled(SimManager manager) {
    boolean idle = pairs && manager.isRunning() && manager.health().isEmpty();
    boolean anyServes = managers.stream().anyMatch(SimManager::isServing);
    return manager.isServing() || idle && anyServes;
  }

  /** True if there are OSDs that are gone for good, or that left the BladeSet. */
  private boolean osdsSettle(Configuration known, List<String> awaited) {
    for (SimOsd osd : osds) {
      boolean settled =
          osd.isServing()
              && known.osds().values().stream()
                  .anyMatch(row -> row.id().value() == osd.osdId() && isWell(row));
      if (!settled) {
        awaited.add(osd.name() + " is up and out of quarantine");
      }
    }
    // What lags on an OSD that left the BladeSet waits for its return, too.
    return known.osds().size() > osds.size() || bladeSets.isSplit();
  }

  private static boolean isWell(OsdNode row) {
    return row.node().liveness() == Liveness.UP && !row.quarantine().active();
  }
}
