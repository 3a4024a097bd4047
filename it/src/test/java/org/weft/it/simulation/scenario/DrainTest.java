package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** An OSD is emptied while it is used, and then goes (P 6.8). */
class DrainTest {
  private static final String PATH = LayoutFiles.WIDE;
  private static final byte[] OLD = LayoutFiles.LONG_BYTES;
  private static final byte[] SMALL = LayoutFiles.SHORT_BYTES;
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);
  private static final String BARE = "/a/b/bare";
  private static final List<String> FILES =
      Stream.concat(LayoutFiles.PATHS.stream(), Stream.of(BARE)).toList();

  private static final long SLOW_NANOS = 1_000_000_000;

  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** No OSD counts as lost for being down. */
  private static final long NEVER_MILLIS = 100_000_000;

  private static Stage boot(long seed) {
    return Stage.boot(WorldOptions.of(seed).withRepair(NEVER_MILLIS));
  }

  private static void put(Stage stage, ClientNode client) throws Exception {
    LayoutFiles.put(stage, client);
    stage.put(client, BARE, LayoutSpec.of(2, 0, Stage.UNIT), OLD);
  }

  private static void awaitEmpty(Stage stage, SimulatedOsd drained) {
    stage.world().await(drained.name() + " holds nothing", 600_000, () -> stage.isEmptied(drained));
  }

  private static void assertNotNamed(Stage stage, ClientNode client, SimulatedOsd osd, String path)
      throws Exception {
    StorageMap map = stage.map(client, path);
    OsdId id = new OsdId(osd.osdId());
    assertFalse(map.components().contains(id), path + ": " + map);
    assertFalse(map.attributeOsds().contains(id), path + ": " + map);
    assertTrue(map.missing().isEmpty(), path + ": " + map);
  }

  @Test
  void aDrainedOsdHoldsNothingAndIsRemovedWithoutForce() throws Exception {
    for (long seed = 1; seed <= 2; seed++) {
      Stage stage = boot(seed);
      ClientNode client = stage.client();
      put(stage, client);
      stage.world().pass(12_000);
      SimulatedOsd drained = stage.dataOsd(stage.map(client, PATH), 1);
      stage.drain(drained);
      stage.put(client, "/a/new", Stage.WIDE, SMALL);
      awaitEmpty(stage, drained);
      for (String path : FILES) {
        assertNotNamed(stage, client, drained, path);
      }
      assertNotNamed(stage, client, drained, "/a/new");
      stage.world().pass(20_000);
      for (String path : List.of("/", "/a", "/a/b", PATH, BARE)) {
        assertFalse(stage.hasObject(drained, stage.objectId(client, path)), path);
      }
      SimulatedOsd another =
          stage.world().osds().stream().filter(osd -> osd != drained).findFirst().orElseThrow();
      drained.kill();
      another.kill();
      stage
          .world()
          .await(
              "both are down",
              60_000,
              () ->
                  stage.world().table().orElseThrow().getOsdsList().stream()
                          .filter(row -> row.getState().name().equals("DOWN"))
                          .count()
                      == 2);
      var removed = stage.call(stage.world().osdDrains().remove(drained));
      stage.restart(another);
      stage.world().pass(20_000);
      stage.assertHolds(LayoutFiles.DOUBLE, OLD);
      assertArrayEquals(OLD, stage.read(stage.client(), BARE));
      assertArrayEquals(OLD, stage.read(stage.client(), PATH));
    }
  }

  @Test
  void twoOsdsDrainTogetherWithoutLosingRedundancy() throws Exception {
    for (long seed = 1; seed <= 4; seed++) {
      drainTwo(Stage.boot(WorldOptions.of(seed).withRepair(NEVER_MILLIS).withOsds(8)));
    }
  }

  /** All OSDs of a host, as an operator drains them: one right after the other. */
  private static void drainTwo(Stage stage) throws Exception {
    ClientNode client = stage.client();
    put(stage, client);
    stage.world().pass(12_000);
    StorageMap before = stage.map(client, LayoutFiles.DOUBLE);
    List<SimulatedOsd> host = List.of(stage.dataOsd(before, 0), stage.dataOsd(before, 1));
    for (SimulatedOsd osd : host) {
      stage.drain(osd);
    }
    Map<String, StorageMap> maps = new HashMap<>();
    long endNanos = stage.world().time().nowNanos() + MAX_NANOS;
    while (stage.world().time().nowNanos() < endNanos
        && !host.stream().allMatch(osd -> stage.isEmptied(osd))) {
      for (String path : FILES) {
        StorageMap map = stage.map(client, path);
        assertTrue(map.missing().isEmpty(), () -> path + ": " + map);
        StorageMap last = maps.put(path, map);
        if (last != null) {
          assertNothingMovedTo(host, last, map);
        }
      }
      stage.world().pass(500);
    }
    for (SimulatedOsd osd : host) {
      assertTrue(stage.isEmptied(osd), osd.name() + " holds something: " + stage.work());
      for (String path : FILES) {
        assertNotNamed(stage, client, osd, path);
      }
    }
    host.forEach(SimulatedOsd::kill);
    stage.world().pass(20_000);
    for (SimulatedOsd osd : host) {
      var removed = stage.call(stage.world().osdDrains().remove(osd));
    }
    stage.assertHolds(PATH, OLD);
    stage.assertHolds(LayoutFiles.DOUBLE, OLD);
    assertArrayEquals(OLD, stage.read(stage.client(), BARE));
  }

  private static void assertNothingMovedTo(
      List<SimulatedOsd> drained, StorageMap last, StorageMap map) {
    for (SimulatedOsd osd : drained) {
      OsdId id = new OsdId(osd.osdId());
      if (map.components().contains(id)) {
        assertTrue(last.components().contains(id), () -> id + " of " + map + ", was " + last);
      }
    }
  }

  @Test
  void aFileThatIsBeingWrittenMovesWhenItIsClosed() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd drained = stage.dataOsd(stage.map(client, PATH), 1);
    stage.drain(drained);
    stage.keepWriting(file, Arrays.copyOf(OLD, 100), 40_000);
    assertTrue(
        stage.world().managers().get(0).problems().stream()
            .anyMatch(what -> what.contains("is being written")),
        () -> stage.world().managers().get(0).problems().toString());
    stage.call(Stage.write(file, Stage.UNIT, NEWS));
    var closed = stage.call(file.close());
    awaitEmpty(stage, drained);
    assertNotNamed(stage, client, drained, PATH);
    stage.assertHolds(PATH, Stage.changed(OLD, Stage.UNIT, NEWS));
  }

  @Test
  void readerWithAnOldMapSeesTheNextWritersBytes() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd drained = stage.dataOsd(stage.map(client, PATH), 1);
    try (WeftInput opened = stage.call(client.files().open(WeftPath.of(PATH)))) {
      // So that the old component stays for a while where it was.
      for (SimulatedManager manager : stage.world().managers()) {
        stage.world().network().latency(manager.name(), drained.name(), SLOW_NANOS);
      }
      stage.drain(drained);
      ClientNode writer = stage.client();
      stage
          .world()
          .await(
              "the file has moved",
              300_000,
              () ->
                  stage.world().managers().stream()
                      .flatMap(manager -> manager.health().stream())
                      .anyMatch(volume -> volume.getRepair().getFilesDone() > 0));
      WeftFile file = stage.open(writer, PATH);
      stage.call(Stage.write(file, Stage.UNIT, NEWS));
      var closed = stage.call(file.close());
      ByteBuffer unit = ByteBuffer.allocate(Stage.UNIT);
      assertEquals(Stage.UNIT, stage.call(opened.read(Stage.UNIT, unit)));
      assertArrayEquals(NEWS, unit.array(), "by the map of before");
      assertArrayEquals(Stage.changed(OLD, Stage.UNIT, NEWS), stage.read(opened, OLD.length));
    }
  }

  @Test
  void drainEndsThoughManagersDieAndAnotherOsdIsLost() throws Exception {
    Stage stage = boot(2);
    ClientNode client = stage.client();
    put(stage, client);
    stage.world().pass(12_000);
    SimulatedOsd drained = stage.dataOsd(stage.map(client, LayoutFiles.DOUBLE), 1);
    stage.drain(drained);
    for (int death = 0; death < 4; death++) {
      stage.world().pass(300 + 700L * death);
      SimulatedManager manager = stage.world().managers().get(0);
      manager.kill();
      manager.start();
    }
    drained.kill();
    stage.world().pass(9_000);
    stage.restart(drained);
    stage.heal();
    awaitEmpty(stage, drained);
    for (String path : FILES) {
      assertNotNamed(stage, client, drained, path);
    }
    stage.assertHolds(LayoutFiles.DOUBLE, OLD);
    stage.assertHolds(LayoutFiles.MIRRORED, SMALL);
  }

  @Test
  void startAfterTheDrainSearchesNothing() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    put(stage, client);
    stage.world().pass(12_000);
    SimulatedOsd drained = stage.dataOsd(stage.map(client, PATH), 1);
    stage.drain(drained);
    awaitEmpty(stage, drained);
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    manager.start();
    stage.heal();
    stage.world().pass(2_000);
    assertTrue(
        manager.health().stream().noneMatch(volume -> volume.hasRepair()),
        () -> manager.health().toString());
    assertTrue(
        manager.health().stream()
            .allMatch(volume -> volume.getClearedOsdList().contains(drained.osdId())));
  }

  @Test
  void undrainedOsdKeepsItsDataAndTakesNewFiles() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, PATH, Stage.WIDE, OLD);
    StorageMap before = stage.map(client, PATH);
    SimulatedOsd drained = stage.dataOsd(before, 1);
    stage.drain(drained);
    stage.keepWriting(file, Arrays.copyOf(OLD, 100), 20_000);
    var undone = stage.call(stage.world().osdDrains().undrain(drained.osdId()));
    var closed = stage.call(file.close());
    stage.world().pass(30_000);
    assertEquals(before.components(), stage.map(client, PATH).components());
    for (int number = 0; number < 40; number++) {
      stage.put(client, "/new" + number, Stage.WIDE, SMALL);
      if (stage.map(client, "/new" + number).components().contains(new OsdId(drained.osdId()))) {
        return;
      }
    }
    throw new AssertionError("nothing new is put on " + drained.name());
  }
}
