package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.world.World;

/** Clusters in their first seconds. Here computing takes no time: what passes was waited for. */
class YoungClusterTest {
  private static final long SEED = 95_940_000;
  private static final long BOOT_MILLIS = 60_000;
  private static final int HARMS = 20;

  /** SysMgr gives up an OSD that it has not heard for less. */
  private static final long GIVEN_UP_MILLIS = 8_000;

  /** Less than any heartbeat, look or pause takes. */
  private static final long NO_WAIT_MILLIS = 40;

  private static final byte[] CONTENT = Stage.bytes(1, 100 * Stage.STRIPE);

  private static List<SimNode> daemons(World world) {
    List<SimNode> all = new ArrayList<>(world.sysmgrs());
    all.addAll(world.osds());
    all.addAll(world.managers());
    return all;
  }

  /** One of them stands still, or is killed and started again. */
  private static void harm(World world, RandomGenerator random) {
    List<SimNode> all = daemons(world);
    SimNode one = all.get(random.nextInt(all.size()));
    if (!one.isRunning() || one.isPaused()) {
      return;
    }
    if (random.nextInt(6) == 0) {
      one.kill();
      world.time().after(random.nextLong(3_000) * 1_000_000, one::start);
    } else {
      one.pause();
      world.time().after(random.nextLong(9_000) * 1_000_000, one::resume);
    }
  }

  /** An OSD may have been given up before there was a volume whose manager could take it back. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void rootVolumeIsServedAfterAnyEarlierFreeze(int run) {
    World world = World.create(WorldOptions.of(SEED + run));
    RandomGenerator random = world.random("harm");
    world.sysmgrs().forEach(SimNode::start);
    world.await(
        "there is a cluster",
        BOOT_MILLIS,
        () -> world.configuration().filter(known -> known.cluster().isPresent()).isPresent());
    for (SimNode osd : world.osds()) {
      osd.start();
      world.pass(random.nextInt(800));
      harm(world, random);
    }
    for (int harms = 0; harms < HARMS; harms++) {
      harm(world, random);
      world.pass(random.nextInt(1_000));
    }
    if (run % 2 == 0) {
      world.osds().forEach(SimNode::pause);
      world.pass(GIVEN_UP_MILLIS);
      world.osds().forEach(SimNode::resume);
    }
    world.managers().forEach(SimNode::start);
    world.await(
        "the root volume is served",
        BOOT_MILLIS,
        () -> world.managers().stream().anyMatch(each -> each.isRunning() && each.isServing()));
    world.requireNoAlarm();
  }

  @Test
  void aFileIsWrittenWithoutAWaitRightAfterAStart() throws WeftException {
    for (int run = 0; run < 3; run++) {
      Stage stage = Stage.boot(WorldOptions.of(SEED + 100 + run));
      World world = stage.world();
      assertPutWaitsForNothing(stage, stage.client(), "/first");
      stop(world);
      daemons(world).forEach(SimNode::start);
      assertPutWaitsForNothing(stage, stage.client(), "/second");
      stage.assertHolds("/first", CONTENT);
      stage.assertHolds("/second", CONTENT);
    }
  }

  /** In good order, as a quickstart stops its daemons. */
  private static void stop(World world) {
    List<SimNode> all = daemons(world);
    for (int each = all.size() - 1; each >= 0; each--) {
      SimNode daemon = all.get(each);
      daemon.stop();
      world.await(daemon.name() + " has stopped", BOOT_MILLIS, () -> !daemon.isRunning());
    }
  }

  private static void assertPutWaitsForNothing(Stage stage, ClientNode client, String path)
      throws WeftException {
    long beganNanos = stage.world().time().nowNanos();
    stage.put(client, path, Stage.WIDE, CONTENT);
    long millis = (stage.world().time().nowNanos() - beganNanos) / 1_000_000;
    assertTrue(millis < NO_WAIT_MILLIS, path + " took " + millis + " ms of waits");
  }
}
