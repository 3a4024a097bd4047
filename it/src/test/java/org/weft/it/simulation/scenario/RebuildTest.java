package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.client.health.DamagedFiles;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/**
 * What an OSD held that is lost for good comes to be on others, without a request for it (P 6.8).
 */
class RebuildTest {
  private static final String PATH = LayoutFiles.WIDE;
  private static final byte[] OLD = LayoutFiles.LONG_BYTES;
  private static final byte[] SMALL = LayoutFiles.SHORT_BYTES;
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);
  private static final long AFTER_MILLIS = 8_000;

  /** No OSD counts as lost for being down. */
  private static final long NEVER_MILLIS = 100_000_000;

  private static final long SLOW_SYNC_NANOS = 400_000_000;

  private static Stage boot(long seed) {
    return Stage.boot(WorldOptions.of(seed).withRepair(AFTER_MILLIS));
  }

  private static void awaitElsewhere(Stage stage, ClientNode client, String path, int lost)
      throws Exception {
    for (int look = 0; look < 600; look++) {
      StorageMap map = stage.map(client, path);
      boolean named = map.components().contains(new OsdId(lost));
      if (!named && map.missing().isEmpty() && !map.attributeOsds().contains(new OsdId(lost))) {
        return;
      }
      stage.world().pass(500);
    }
    throw new AssertionError(
        path + " is not rebuilt: " + stage.map(client, path) + ", " + problems(stage));
  }

  private static List<String> problems(Stage stage) {
    return stage.world().managers().stream()
        .flatMap(manager -> manager.problems().stream())
        .toList();
  }

  @Test
  void aLostComponentIsRebuiltAndAnotherLossIsBorne() throws Exception {
    for (long seed = 1; seed <= 2; seed++) {
      Stage stage = boot(seed);
      ClientNode client = stage.client();
      LayoutFiles.put(stage, client);
      stage.world().pass(12_000);
      SimulatedOsd lost = stage.dataOsd(stage.map(client, PATH), 1);
      lost.kill();
      for (String path : LayoutFiles.PATHS) {
        awaitElsewhere(stage, client, path, lost.osdId());
      }
      // Its copies of directories are good while it may come back.
      var removed = stage.call(stage.world().removeLostOsds(lost));
      for (String path : LayoutFiles.DIRECTORIES) {
        long objectId = stage.objectId(client, path);
        stage
            .world()
            .await(
                "three copies of " + path,
                120_000,
                () ->
                    stage.world().osds().stream()
                            .filter(osd -> osd != lost && stage.hasObject(osd, objectId))
                            .count()
                        == 3);
      }
      stage.assertHolds(PATH, OLD);
      stage.assertHolds(LayoutFiles.SMALL, SMALL);
      stage.assertHolds(LayoutFiles.MIRRORED, SMALL);
      stage.assertHolds(LayoutFiles.DOUBLE, OLD);
    }
  }

  @Test
  void returningOsdLosesItsPartOfARebuiltFile() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    long objectId = stage.objectId(client, PATH);
    stage.world().pass(12_000);
    SimulatedOsd lost = stage.dataOsd(stage.map(client, PATH), 1);
    lost.kill();
    awaitElsewhere(stage, client, PATH, lost.osdId());
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, Stage.UNIT, NEWS));
    var closed = stage.call(file.close());
    lost.start();
    stage.heal();
    assertTrue(stage.pending(lost, objectId).isEmpty());
    stage.assertHolds(PATH, Stage.changed(OLD, Stage.UNIT, NEWS));
  }

  @Test
  void anOsdThatIsBackBeforeItsTimeKeepsWhatItHolds() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    StorageMap before = stage.map(client, PATH);
    SimulatedOsd away = stage.dataOsd(before, 1);
    away.kill();
    stage.world().pass(8_000);
    stage.restart(away);
    stage.world().pass(30_000);
    assertEquals(before, stage.map(client, PATH));
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void replacedDiskIsRebuiltWithoutWaiting() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(1).withRepair(NEVER_MILLIS));
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    StorageMap before = stage.map(client, PATH);
    SimulatedOsd replaced = stage.dataOsd(before, 1);
    int lost = replaced.osdId();
    SimulatedOsd away = stage.dataOsd(before, 0);
    away.kill();
    stage.world().pass(60_000);
    assertEquals(
        before, stage.map(client, PATH), "nothing is known of the disk of one that is down");
    stage.restart(away);
    stage.world().pass(20_000);
    replaced.machine().loseDisk();
    stage.restart(replaced);
    awaitElsewhere(stage, client, PATH, lost);
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void pausedRebuildsContinueWhenResumed() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    StorageMap before = stage.map(client, PATH);
    SimulatedOsd lost = stage.dataOsd(before, 1);
    var paused = stage.call(stage.world().pauseRepairs(false));
    stage.world().pass(2_000);
    lost.kill();
    stage.world().pass(10 * AFTER_MILLIS);
    assertEquals(before, stage.map(client, PATH), "something was moved during the pause");
    assertArrayEquals(OLD, stage.read(client, PATH));
    var resumed = stage.call(stage.world().pauseRepairs(true));
    awaitElsewhere(stage, client, PATH, lost.osdId());
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void aReaderWithTheMapOfBeforeReadsOn() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd lost = stage.dataOsd(stage.map(client, PATH), 1);
    try (WeftInput opened = stage.call(client.files().open(WeftPath.of(PATH)))) {
      lost.kill();
      awaitElsewhere(stage, client, PATH, lost.osdId());
      assertArrayEquals(OLD, stage.read(opened, OLD.length));
      WeftFile file = stage.open(stage.client(), PATH);
      stage.call(Stage.write(file, Stage.UNIT, NEWS));
      var closed = stage.call(file.close());
      lost.start();
      stage.heal();
      // Nothing of what it reads here is on any other OSD, and it avoids this one no more.
      stage.world().pass(20_000);
      ByteBuffer unit = ByteBuffer.allocate(Stage.UNIT);
      assertEquals(Stage.UNIT, stage.call(opened.read(Stage.UNIT, unit)));
      assertArrayEquals(NEWS, unit.array(), "by the map of before");
      assertArrayEquals(Stage.changed(OLD, Stage.UNIT, NEWS), stage.read(opened, OLD.length));
    }
  }

  @Test
  void aFileThatIsBeingWrittenIsRebuiltWhenThatHasEnded() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd lost = stage.dataOsd(stage.map(client, PATH), 1);
    lost.kill();
    stage.keepWriting(file, Arrays.copyOf(OLD, 100), 40_000);
    assertTrue(
        problems(stage).stream().anyMatch(what -> what.contains("is being written")),
        () -> problems(stage).toString() + stage.world().managers().get(0).health());
    assertTrue(stage.map(client, PATH).components().contains(new OsdId(lost.osdId())));
    stage.call(Stage.write(file, Stage.UNIT, NEWS));
    var closed = stage.call(file.close());
    awaitElsewhere(stage, client, PATH, lost.osdId());
    stage.assertHolds(PATH, Stage.changed(OLD, Stage.UNIT, NEWS));
  }

  @Test
  void writesBesideARebuildAreKept() throws Exception {
    byte[] large = Stage.bytes(4, 60 * Stage.STRIPE);
    byte[] latest = Stage.bytes(5, Stage.UNIT);
    for (int steps = 0; steps < 2; steps++) {
      Stage stage = boot(steps + 1);
      ClientNode client = stage.client();
      stage.put(client, PATH, Stage.WIDE, large);
      stage.world().pass(12_000);
      StorageMap map = stage.map(client, PATH);
      long objectId = stage.objectId(client, PATH);
      SimulatedOsd lost = stage.dataOsd(map, 1);
      SimulatedOsd spare =
          stage.world().osds().stream()
              .filter(osd -> !map.components().contains(new OsdId(osd.osdId())))
              .findFirst()
              .orElseThrow();
      lost.kill();
      // Its component is missing from now on: a writer needs no other map.
      WeftFile before = stage.open(client, PATH);
      stage.call(Stage.write(before, Stage.UNIT, NEWS));
      var first = stage.call(before.close());
      assertFalse(stage.map(client, PATH).missing().isEmpty());
      // So that the rebuild lasts for longer than it takes to open the file and write.
      spare.machine().slowDisk(SLOW_SYNC_NANOS);
      // All of it was computed and written, and is not durable yet.
      long rebuilt = 60L * Stage.UNIT;
      for (int look = 0; look < 60_000 && stage.usedBytes(spare, objectId) < rebuilt; look++) {
        stage.world().pass(1);
      }
      stage.world().pass(10L * steps);
      WeftFile file = stage.open(client, PATH);
      // Of the very unit that is rebuilt: only its parity hears of it.
      stage.call(Stage.write(file, Stage.UNIT, latest));
      var closed = stage.call(file.close());
      awaitElsewhere(stage, client, PATH, lost.osdId());
      stage.assertHolds(PATH, Stage.changed(large, Stage.UNIT, latest));
    }
  }

  @Test
  void aManagerThatDiesInARebuildLeavesNothingBehind() throws Exception {
    for (int steps = 1; steps <= 6; steps++) {
      Stage stage = boot(steps);
      ClientNode client = stage.client();
      stage.put(client, PATH, Stage.WIDE, OLD);
      stage.world().pass(12_000);
      SimulatedOsd lost = stage.dataOsd(stage.map(client, PATH), 1);
      lost.kill();
      stage.world().pass(6_000 + AFTER_MILLIS);
      SimulatedManager manager = stage.world().managers().get(0);
      for (int look = 0;
          look < 4_000 && manager.health().stream().noneMatch(each -> each.hasRepair());
          look++) {
        stage.world().pass(5);
      }
      stage.world().pass(6L * steps);
      manager.kill();
      stage.world().pass(1_000);
      manager.start();
      awaitElsewhere(stage, client, PATH, lost.osdId());
      stage.world().pass(20_000);
      StorageMap map = stage.map(client, PATH);
      long objectId = stage.objectId(client, PATH);
      for (SimulatedOsd osd : stage.world().osds()) {
        boolean named = map.components().contains(new OsdId(osd.osdId()));
        if (osd != lost && !named) {
          assertFalse(stage.hasObject(osd, objectId), osd.name() + " keeps a piece of " + PATH);
        }
      }
      stage.assertHolds(PATH, OLD);
    }
  }

  @Test
  void fileWithTooManyLossesIsReported() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.put(client, "/double", LayoutSpec.of(2, 2, Stage.UNIT), OLD);
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    SimulatedOsd first = stage.dataOsd(map, 1);
    SimulatedOsd second = stage.dataOsd(map, 2);
    first.kill();
    second.kill();
    stage.world().pass(120_000);
    assertTrue(
        problems(stage).stream().anyMatch(what -> what.contains("file") && what.contains("more")),
        () -> problems(stage).toString());
    List<DamagedFiles.One> damaged = damaged(stage, client);
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    ByteRanges gone = new ByteRanges(damaged.get(0).gone());
    List<OsdId> dead = List.of(new OsdId(first.osdId()), new OsdId(second.osdId()));
    for (int at = 0; at < OLD.length; at += 1_000) {
      int component =
          map.layout().dataComponent(map.layout().stripeOf(at), map.layout().unitOf(at));
      assertEquals(dead.contains(map.osdOf(component)), gone.around(at).isPresent(), "byte " + at);
    }
    stage.restart(second);
    awaitElsewhere(stage, client, PATH, first.osdId());
    stage.assertHolds(PATH, OLD);
    assertEquals(List.of(), damaged(stage, stage.client()));
  }

  private static List<DamagedFiles.One> damaged(Stage stage, ClientNode client) throws Exception {
    WeftClient connected = stage.call(client.connected());
    return stage.call(ClientParts.of(connected).health().damage("/", 0, 10)).files();
  }
}
