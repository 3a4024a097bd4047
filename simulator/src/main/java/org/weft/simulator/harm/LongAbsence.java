package org.weft.simulator.harm;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.node.Liveness;

/**
 * One of two volumes has no manager for long. Meanwhile OSDs are stopped in order and started again
 * (P 5.8). These OSDs go on serving the clients of the other volume. It happens in some of the
 * seeds in which processes die.
 */
final class LongAbsence extends LongHarm {
  /**
   * The seeds that have it, modulo 32. No seed lies there that was kept before this harm existed.
   */
  private static final Set<Long> SHARE = Set.of(6L, 9L, 16L, 19L, 25L, 27L);

  private static final long BETWEEN_STOPS_NANOS = TimeUnit.SECONDS.toNanos(4);

  private SimulatedManager away;
  private Wait opens;

  LongAbsence(World world, ClientWorkload workload, Outages outages, Intensity intensity) {
    super(
        world,
        workload,
        outages,
        "a manager that is away",
        intensity.has(Intensity.PROCESSES)
            && world.options().secondVolume()
            && !world.options().pairs()
            && SHARE.contains(Math.floorMod(world.options().seed(), 32L)));
  }

  @Override
  boolean harm() {
    List<SimulatedManager> serving =
        world.managers().stream()
            .filter(manager -> manager.isServing() && !manager.isPaused())
            .toList();
    if (serving.size() < 2) {
      return false;
    }
    away = serving.get(random.nextInt(serving.size()));
    outages.note(away.name() + " is away for long");
    away.kill();
    opens = new Wait("a volume waits for the manager of another one");
    List<SimulatedOsd> osds = new ArrayList<>(world.osds());
    for (int stops = 0; stops < 2; stops++) {
      SimulatedOsd osd = osds.remove(random.nextInt(osds.size()));
      outages.afterwards(stops * BETWEEN_STOPS_NANOS, () -> stop(osd));
    }
    return true;
  }

  /** It is started again with everything else that does not run. */
  private void stop(SimulatedOsd osd) {
    if (osd.isRunning() && !osd.isPaused()) {
      outages.note("stop " + osd.name());
      osd.stop();
    }
  }

  @Override
  boolean mayRun(SimNode node) {
    return node != away;
  }

  @Override
  void look() {
    boolean good =
        othersAreThere(osd -> false)
            && world.osds().stream().allMatch(osd -> osd.isRunning() && !osd.isPaused())
            && world.managers().stream()
                .filter(manager -> manager != away)
                .allMatch(manager -> manager.isServing() && !manager.isPaused());
    Optional<String> shut = good ? shut() : Optional.empty();
    opens.look(shut.isPresent(), shut.orElse(""));
  }

  /** An OSD that refuses clients of a volume whose manager serves. */
  private Optional<String> shut() {
    return world.managers().stream()
        .filter(manager -> manager != away)
        .flatMap(manager -> manager.health().stream())
        .map(VolumeHealth::getVolumeId)
        .flatMap(
            volume ->
                world.osds().stream()
                    .filter(osd -> isQuarantined(osd))
                    .filter(osd -> osd.store().refusesClientsOf(new PartitionId(volume)))
                    .map(osd -> osd.name() + " refuses clients of volume " + volume))
        .findFirst();
  }

  private boolean isQuarantined(SimulatedOsd osd) {
    return world
        .configuration()
        .map(known -> known.osds().get(new OsdId(osd.osdId())))
        .filter(row -> row.node().liveness() == Liveness.QUARANTINED)
        .isPresent();
  }

  @Override
  void end() {
    outages.note("start " + away.name());
    away.start();
  }
}
