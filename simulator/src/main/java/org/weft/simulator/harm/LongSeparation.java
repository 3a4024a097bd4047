package org.weft.simulator.harm;

import java.util.Set;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.world.World;

/**
 * A manager and an OSD do not reach each other for long, while both reach SysMgr (P 5.8). The
 * manager must serve, also if it started after the link was cut. It happens in some of the seeds
 * with a bad network.
 */
final class LongSeparation extends LongHarm {
  /**
   * The seeds that have it, modulo 32. No seed lies there that was kept before this harm existed.
   */
  private static final Set<Long> SHARE = Set.of(13L, 21L);

  private SimulatedManager one;
  private SimulatedOsd other;
  private Wait serves;

  LongSeparation(World world, ClientWorkload workload, Outages outages, boolean mayBe) {
    super(
        world,
        workload,
        outages,
        "a manager and an OSD",
        mayBe && SHARE.contains(Math.floorMod(world.options().seed(), 32L)));
  }

  /** The link stays cut. */
  boolean keeps(String from, String to) {
    return lasts()
        && (from.equals(one.name()) && to.equals(other.name())
            || from.equals(other.name()) && to.equals(one.name()));
  }

  @Override
  boolean harm() {
    one = world.managers().get(random.nextInt(world.managers().size()));
    other = world.osds().get(random.nextInt(world.osds().size()));
    serves = new Wait("a manager waits for ever for an OSD that it does not reach");
    outages.note("nothing between " + one.name() + " and " + other.name() + " for long");
    world.network().separate(one.name(), other.name());
    if (random.nextBoolean()) {
      outages.note("kill " + one.name());
      one.kill();
    }
    return true;
  }

  @Override
  void look() {
    boolean good = !one.isPaused() && othersAreThere(osd -> osd.value() == other.osdId());
    boolean idle = world.options().pairs() && one.isRunning() && one.health().isEmpty();
    serves.look(
        good && !one.isServing() && !idle,
        one.name() + " does not reach " + other.name() + ": " + one.problems());
  }

  @Override
  void end() {
    outages.note(one.name() + " and " + other.name() + " reach each other again");
    world.network().healBut((from, to) -> false);
  }
}
