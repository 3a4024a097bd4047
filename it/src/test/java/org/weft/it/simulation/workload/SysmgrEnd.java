package org.weft.it.simulation.workload;

import java.util.List;
import org.weft.it.simulation.world.World;

/** What must be so of SysMgr when all is well again (P 6.2, 6.2a). */
final class SysmgrEnd {
  private static final long PATIENCE_MILLIS = 180_000;

  private final World world;
  private final Histories histories;

  SysmgrEnd(World world, Histories histories) {
    this.world = world;
    this.histories = histories;
  }

  void check() {
    if (!new Patience(world, PATIENCE_MILLIS).until(() -> world.unfinished().isEmpty())) {
      histories.found(
          "an operation of SysMgr never comes to an end", world.unfinished().toString());
    }
    List<String> lost = world.lostAcknowledgements();
    if (!lost.isEmpty()) {
      histories.found("what SysMgr has acknowledged is lost", lost.toString());
    }
  }
}
