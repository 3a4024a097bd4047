package org.weft.simulator.end;

import java.util.List;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.World;

/** What must be so of SysMgr when all is well again (P 6.2, 6.2a). */
public final class SysmgrEnd {
  private static final long PATIENCE_MILLIS = 180_000;

  private final World world;
  private final Histories histories;

  public SysmgrEnd(World world, Histories histories) {
    this.world = world;
    this.histories = histories;
  }

  public void check() {
    if (!new WorldWait(world, PATIENCE_MILLIS).until(() -> world.unfinished().isEmpty())) {
      histories.found(
          "an operation of SysMgr never comes to an end", world.unfinished().toString());
    }
    List<String> lost = world.lostAcknowledgements();
    if (!lost.isEmpty()) {
      histories.found("what SysMgr has acknowledged is lost", lost.toString());
    }
  }
}
