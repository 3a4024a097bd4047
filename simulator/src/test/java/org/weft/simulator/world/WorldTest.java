package org.weft.simulator.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftPath;
import org.weft.osd.check.CheckReport;
import org.weft.simulator.base.Alarms;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.network.NetworkFaults;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.Machine;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** The world itself: it boots, carries bytes, survives faults, and repeats itself. */
final class WorldTest {
  private static final int HEAL_MILLIS = 300_000;
  private static Alarms.Installed alarms;

  @BeforeAll
  static void listen() {
    alarms = Alarms.install();
  }

  @AfterAll
  static void listenNoMore() {
    alarms.close();
  }

  @Test
  void bootsAndCarriesBytes() {
    World world = World.create(WorldOptions.of(1));
    TrivialWorkload.run(world);
    for (SimulatedOsd osd : world.osds()) {
      CheckReport report = osd.check();
      assertTrue(report.isSound(), osd.name() + ": " + report);
    }
  }

  @Test
  void aSeedRepeatsItselfAndAnotherOneDoesNot() {
    assertEquals(hashOf(7), hashOf(7));
    assertNotEquals(hashOf(7), hashOf(8));
  }

  private static long hashOf(long seed) {
    World world = World.create(WorldOptions.of(seed).withSysmgrMembers(3));
    torment(world);
    return world.trace().hash();
  }

  @Test
  void aManagerWhoseDiskIsFullSaysThatItServesNoMore() {
    World world = World.create(WorldOptions.of(1));
    world.boot();
    SimulatedManager manager = world.managers().get(0);
    manager.machine().fullDisk(true);
    ClientNode client = world.newClient();
    client.start();
    var unused = client.connected().thenAccept(connected -> makeDirectories(client, 2_000));
    world.await("the journal has failed", 60_000, manager::isBroken);
    assertFalse(manager.isServing());
    // It has ended by itself: nothing but the disk needs to be put in order.
    manager.machine().fullDisk(false);
    world.await("it is started again and serves", 60_000, manager::isServing);
    world.heal(HEAL_MILLIS);
    assertTrue(manager.isServing());
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 3L * Integer.getInteger("weft.times", 1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void isQuietAgainAfterFaultsOfAllKinds(long seed) {
    World world = World.create(WorldOptions.of(seed).withSysmgrMembers(seed % 2 == 0 ? 1 : 3));
    torment(world);
    world.heal(HEAL_MILLIS);
    for (SimulatedOsd osd : world.osds()) {
      // Of what no checkpoint covered, a power loss may leave blocks that readers decode.
      CheckReport report = osd.check();
      assertTrue(osd.isOnlyLost(report), () -> osd.name() + ": " + report.findings());
    }
  }

  /** Two clients write while everything goes wrong that can; then all is healed. */
  private static void torment(World world) {
    world.boot();
    RandomGenerator random = world.random("torment");
    for (int number = 1; number <= 2; number++) {
      scribble(world.newClient());
    }
    world.network().faults(NetworkFaults.USUAL);
    for (int round = 0; round < 20; round++) {
      world.pass(random.nextInt(3_000));
      var nodes = world.nodes();
      harm(world, nodes.get(random.nextInt(nodes.size())), random);
    }
    world.clients().forEach(SimNode::kill);
  }

  /** Each is a record of the journal. */
  private static void makeDirectories(ClientNode client, int count) {
    if (count > 0) {
      var unused =
          client
              .files()
              .mkdir(WeftPath.of("/directory-" + count), 0755)
              .whenComplete((status, failure) -> makeDirectories(client, count - 1));
    }
  }

  private static void scribble(ClientNode client) {
    client.start();
    var unused =
        client
            .connected()
            .thenCompose(connected -> scribble(client, 0))
            .exceptionally(failure -> null);
  }

  private static CompletableFuture<Void> scribble(ClientNode client, int file) {
    CompletableFuture<Void> done =
        client
            .files()
            .create(
                WeftPath.of("/of-" + client.name() + "-" + file),
                CreateOptions.newFile().withLayout(LayoutSpec.of(3, 1, 4096)))
            .thenCompose(
                out -> {
                  CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
                  for (int chunk = 0; chunk < 20; chunk++) {
                    written =
                        written
                            .thenCompose(nothing -> out.write(ByteBuffer.allocate(5_000)))
                            .thenCompose(nothing -> out.hflush());
                  }
                  return written.thenCompose(nothing -> out.close()).thenAccept(status -> {});
                });
    return done.handle((nothing, failure) -> null)
        .thenCompose(nothing -> file == 20 ? done : scribble(client, file + 1));
  }

  private static void harm(World world, SimNode node, RandomGenerator random) {
    Machine machine = node.machine();
    boolean hasDisk = node instanceof SimulatedOsd;
    switch (random.nextInt(12)) {
      case 0, 1 -> node.kill();
      case 2 -> node.killAtDiskOperation(random.nextInt(1, 50));
      case 3 -> node.pause();
      case 4 -> machine.losePower();
      case 5 -> {
        if (hasDisk) {
          machine.slowDisk(TimeUnit.MILLISECONDS.toNanos(300));
        }
      }
      case 6 -> machine.jumpClock(random.nextLong(-100_000, 100_000));
      case 7 -> world.network().separate(node.name(), world.nodes().get(0).name());
      case 8 -> {
        if (hasDisk) {
          machine.failDisk(50);
        }
      }
      case 9 -> node.stop();
      case 10 -> world.network().heal();
      default -> {
        if (hasDisk) {
          machine.fullDisk(true);
        }
      }
    }
    world.pass(random.nextInt(2_000));
    node.resume();
    node.start();
  }
}
