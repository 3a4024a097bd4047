package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.health.DamagedFiles;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** Blocks that rot are written anew where they are, without a request for it (P 6.8b). */
class BadBlockTest {
  private static final int BUSY_MILLIS = 80;
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 11 * Stage.STRIPE + 3_000);
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);
  private static final LayoutSpec DOUBLE = LayoutSpec.of(2, 2, Stage.UNIT);
  private static final long AFTER_MILLIS = 8_000;
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Stage stage = Stage.boot(WorldOptions.of(1).withRepair(AFTER_MILLIS));
  private final RottenBlocks blocks = new RottenBlocks(stage);
  private final ClientNode client;

  BadBlockTest() throws Exception {
    client = stage.client();
  }

  private StorageMap written(String path, LayoutSpec layout) throws Exception {
    stage.put(client, path, layout, OLD);
    stage.world().pass(12_000);
    return stage.map(client, path);
  }

  private void awaitWell(SimulatedOsd osd, long objectId, long block) {
    stage
        .world()
        .await(
            "block " + block + " on " + osd.name() + " is well",
            300_000,
            () -> osd.isRunning() && !blocks.isBad(osd, objectId, block));
  }

  private List<DamagedFiles.One> damaged() throws Exception {
    WeftClient connected = stage.call(stage.client().connected());
    return stage.call(ClientParts.of(connected).health().damage("/", 0, 10)).files();
  }

  @Test
  void badBlocksAreRewrittenAndAnyOsdLossIsBorne() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    long[] before = new long[map.components().size()];
    for (int component = 0; component < map.components().size(); component++) {
      before[component] = blocks.version(stage.osd(map, component), objectId);
      blocks.rot(stage.osd(map, component), objectId, component);
    }
    for (int component = 0; component < map.components().size(); component++) {
      SimulatedOsd osd = stage.osd(map, component);
      awaitWell(osd, objectId, component);
      // Whatever was on its way there under an earlier number comes too late.
      assertTrue(blocks.version(osd, objectId) > before[component], osd.name());
    }
    assertEquals(map, stage.map(client, PATH), "nothing has moved");
    stage.assertHolds(PATH, OLD);
    assertEquals(List.of(), damaged());
  }

  @Test
  void unreadableBlocksAreRewritten() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    for (int component = 0; component < map.components().size(); component++) {
      blocks.makeUnreadable(stage.osd(map, component), objectId, component);
    }
    for (int component = 0; component < map.components().size(); component++) {
      awaitWell(stage.osd(map, component), objectId, component);
    }
    assertEquals(map, stage.map(client, PATH), "nothing has moved");
    stage.assertHolds(PATH, OLD);
    assertEquals(List.of(), damaged());
  }

  private void awaitMovedFrom(SimulatedOsd osd) throws Exception {
    long endNanos = stage.world().time().nowNanos() + MAX_NANOS;
    while (stage.map(client, PATH).components().contains(new OsdId(osd.osdId()))) {
      assertTrue(stage.world().time().nowNanos() < endNanos, "it is on " + osd.name() + " still");
      stage.world().pass(1_000);
    }
  }

  /** Nothing else of the file is lost with the stripe. */
  private void assertOneStripeIsDamaged(int stripe) throws Exception {
    List<DamagedFiles.One> damaged = damaged();
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    long start = (long) stripe * Stage.STRIPE;
    for (ByteRange gone : damaged.get(0).gone()) {
      assertTrue(
          gone.from() >= start && gone.to() <= start + Stage.STRIPE, damaged.get(0).toString());
    }
  }

  @Test
  void rebuildGoesAroundAnUnreadableBlockThatIsLost() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    blocks.makeUnreadable(stage.dataOsd(map, 0), objectId, 2);
    SimulatedOsd gone = stage.dataOsd(map, 1);
    gone.kill();
    stage.world().pass(30_000);
    // What may come back with it would not be called lost.
    var removed = stage.call(stage.world().removeLostOsds(gone));
    awaitMovedFrom(gone);
    assertOneStripeIsDamaged(2);
  }

  @Test
  void drainGoesAroundAnUnreadableBlockThatIsLost() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd drained = stage.dataOsd(map, 1);
    blocks.makeUnreadable(drained, objectId, 2);
    blocks.makeUnreadable(stage.dataOsd(map, 0), objectId, 2);
    stage.drain(drained);
    awaitMovedFrom(drained);
    stage.world().await("it is empty", 600_000, () -> stage.isEmptied(drained));
    assertOneStripeIsDamaged(2);
  }

  @Test
  void smallFileAndDirectoryAreRepairedCompletely() throws Exception {
    byte[] small = Stage.bytes(2, 3_000);
    stage.put(client, PATH, Stage.WIDE, small);
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    long objectId = stage.objectId(client, PATH);
    long root = stage.objectId(client, "/");
    SimulatedOsd first = stage.dataOsd(map, 0);
    blocks.rot(first, objectId, 0);
    SimulatedOsd copy =
        stage.world().osds().stream()
            .filter(osd -> stage.usedBytes(osd, root) > 0)
            .findFirst()
            .orElseThrow();
    blocks.rot(copy, root, 1);
    awaitWell(first, objectId, 0);
    awaitWell(copy, root, 1);
    stage.assertHolds(PATH, small);
  }

  /** An idle writer would lend its file to the repair. */
  private void keepWriting(WeftFile file, long millis) throws WeftException {
    for (long passed = 0; passed < millis; passed += BUSY_MILLIS) {
      stage.call(Stage.write(file, 0, NEWS));
      stage.world().pass(BUSY_MILLIS);
    }
  }

  @Test
  void aFileThatIsOpenIsRepairedWhileItsWriterIsIdle() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd rotten = stage.dataOsd(map, 1);
    WeftFile file = stage.open(client, PATH);
    blocks.rot(rotten, objectId, 2);
    awaitWell(rotten, objectId, 2);
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void aFileThatIsBeingWrittenIsRepairedOnceItIsClosed() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd rotten = stage.dataOsd(map, 1);
    WeftFile file = stage.open(client, PATH);
    blocks.rot(rotten, objectId, 2);
    keepWriting(file, 30_000);
    assertTrue(blocks.isBad(rotten, objectId, 2), "its writer may change the stripe at any time");
    var closed = stage.call(file.close());
    awaitWell(rotten, objectId, 2);
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void badBlockFindingsSurviveTheManager() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd rotten = stage.dataOsd(map, 1);
    WeftFile file = stage.open(client, PATH);
    blocks.rot(rotten, objectId, 2);
    keepWriting(file, 30_000);
    // It knows of it, and can do nothing about it.
    for (SimulatedManager manager : stage.world().managers()) {
      manager.kill();
    }
    stage.world().pass(1_000);
    stage.world().managers().forEach(SimulatedManager::start);
    var closed = stage.call(file.close());
    awaitWell(rotten, objectId, 2);
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void nextManagerContinuesARepair() throws Exception {
    byte[] large = Stage.bytes(5, 40 * Stage.STRIPE);
    stage.put(client, PATH, Stage.WIDE, large);
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd rotten = stage.dataOsd(map, 1);
    for (long block = 0; block < 40; block++) {
      blocks.rot(rotten, objectId, block);
    }
    awaitWell(rotten, objectId, 0);
    assertTrue(blocks.isBad(rotten, objectId, 39), "it is in the midst");
    for (SimulatedManager manager : stage.world().managers()) {
      manager.kill();
    }
    stage.world().pass(1_000);
    stage.world().managers().forEach(SimulatedManager::start);
    awaitWell(rotten, objectId, 39);
    stage.world().pass(30_000);
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Stage.changed(large, 0, NEWS));
  }

  @Test
  void twoBadBlocksInAStripeAreReportedUntilRewritten() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd first = stage.dataOsd(map, 1);
    blocks.rot(first, objectId, 0);
    blocks.rot(stage.dataOsd(map, 2), objectId, 0);
    stage.world().pass(120_000);
    assertTrue(blocks.isBad(first, objectId, 0));
    List<DamagedFiles.One> damaged = damaged();
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    assertEquals(List.of(new ByteRange(Stage.UNIT, 3L * Stage.UNIT)), damaged.get(0).gone());
    WeftFile file = stage.open(client, PATH);
    byte[] stripe = Stage.bytes(4, Stage.STRIPE);
    stage.call(Stage.write(file, 0, stripe));
    var closed = stage.call(file.close());
    stage.world().pass(60_000);
    assertEquals(List.of(), damaged());
    stage.assertHolds(PATH, Stage.changed(OLD, 0, stripe));
  }

  @Test
  void contradictingBlocksAreReportedAndNotRewritten() throws Exception {
    StorageMap map = written(PATH, DOUBLE);
    long objectId = stage.objectId(client, PATH);
    SimulatedOsd rotten = stage.dataOsd(map, 0);
    blocks.replace(stage.dataOsd(map, 1), objectId, 0, NEWS);
    blocks.rot(rotten, objectId, 0);
    stage.world().pass(120_000);
    assertTrue(blocks.isBad(rotten, objectId, 0), "it is not known which of the others is right");
    List<DamagedFiles.One> damaged = damaged();
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    assertTrue(damaged.get(0).what().contains("contradict"), damaged.get(0).what());
  }

  /** The map calls it missing, and what it holds is not removed yet when it is back. */
  @Test
  void anOldUnitIsNoSource() throws Exception {
    byte[] rotting = Arrays.copyOfRange(OLD, 0, Stage.UNIT);
    for (long seed = 1; seed <= 4; seed++) {
      Stage world = Stage.boot(WorldOptions.of(seed).withRepair(AFTER_MILLIS));
      RottenBlocks bits = new RottenBlocks(world);
      ClientNode writer = world.client();
      world.put(writer, PATH, Stage.WIDE, OLD);
      world.world().pass(12_000);
      StorageMap map = world.map(writer, PATH);
      long objectId = world.objectId(writer, PATH);
      // No OSD is left to write the missing component anew on.
      for (SimulatedOsd spare : world.world().osds()) {
        if (!map.components().contains(new OsdId(spare.osdId()))) {
          spare.kill();
        }
      }
      SimulatedOsd away = world.dataOsd(map, 1);
      away.kill();
      world.world().pass(5_000);
      WeftFile file = world.open(writer, PATH);
      world.call(Stage.write(file, Stage.UNIT, NEWS));
      var closed = world.call(file.close());
      SimulatedOsd rotten = world.dataOsd(map, 0);
      bits.rot(rotten, objectId, 0);
      world.world().pass(60_000);
      away.start();
      world.world().pass(60_000);
      assertTrue(
          bits.isBad(rotten, objectId, 0) || bits.holds(rotten, objectId, 0, rotting),
          "computed from a unit of before, in world " + seed);
    }
  }
}
