package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.DamagedFiles;
import org.weft.client.LayoutWish;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.it.simulation.world.ClientNode;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.it.simulation.world.WorldOptions;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;

/** Blocks that rot are written anew where they are, without anybody asking (P 6.8b). */
class BadBlockTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 11 * Stage.STRIPE + 3_000);
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);
  private static final LayoutWish DOUBLE = LayoutWish.of(2, 2, Stage.UNIT);
  private static final long AFTER_MILLIS = 8_000;

  private final Stage stage = Stage.boot(WorldOptions.of(1).withRepair(AFTER_MILLIS));
  private final RottenBlocks blocks = new RottenBlocks(stage);
  private final ClientNode client;

  BadBlockTest() throws Exception {
    client = stage.client();
  }

  private StorageMap written(String path, LayoutWish layout) throws Exception {
    stage.put(client, path, layout, OLD);
    stage.world().pass(12_000);
    return stage.map(client, path);
  }

  private void awaitWell(OsdNode osd, long objectId, long block) {
    stage
        .world()
        .await(
            "block " + block + " on " + osd.name() + " is well",
            300_000,
            () -> osd.isRunning() && !blocks.isBad(osd, objectId, block));
  }

  private List<DamagedFiles.One> damaged() throws Exception {
    WeftClient connected = stage.call(stage.client().connected());
    return stage.call(connected.damage(WeftPath.of("/"), 0, 10)).files();
  }

  @Test
  void dataAndParityAreWrittenAnewAndTheLossOfAnyOsdIsBorne() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    for (int component = 0; component < map.components().size(); component++) {
      blocks.rot(stage.osd(map, component), objectId, component);
    }
    for (int component = 0; component < map.components().size(); component++) {
      awaitWell(stage.osd(map, component), objectId, component);
    }
    assertEquals(map, stage.map(client, PATH), "nothing has moved");
    stage.assertHolds(PATH, OLD);
    assertEquals(List.of(), damaged());
  }

  @Test
  void aSmallFileAndADirectoryAreWhollyThereAgain() throws Exception {
    byte[] small = Stage.bytes(2, 3_000);
    stage.put(client, PATH, Stage.WIDE, small);
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    long objectId = stage.objectId(client, PATH);
    long root = stage.objectId(client, "/");
    OsdNode first = stage.dataOsd(map, 0);
    blocks.rot(first, objectId, 0);
    OsdNode copy =
        stage.world().osds().stream()
            .filter(osd -> stage.usedBytes(osd, root) > 0)
            .findFirst()
            .orElseThrow();
    blocks.rot(copy, root, 1);
    awaitWell(first, objectId, 0);
    awaitWell(copy, root, 1);
    stage.assertHolds(PATH, small);
  }

  @Test
  void aFileThatIsBeingWrittenIsRepairedOnceItIsClosed() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    OsdNode rotten = stage.dataOsd(map, 1);
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, 0, NEWS));
    blocks.rot(rotten, objectId, 2);
    stage.world().pass(90_000);
    assertTrue(blocks.isBad(rotten, objectId, 2), "its writer may change the stripe at any time");
    var closed = stage.call(file.close());
    awaitWell(rotten, objectId, 2);
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void whatWasFoundIsNotForgottenWithManagersAndOsds() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    OsdNode rotten = stage.dataOsd(map, 1);
    WeftFile file = stage.open(client, PATH);
    blocks.rot(rotten, objectId, 2);
    stage.world().pass(60_000);
    // Both know of it, and neither can do anything about it.
    for (ManagerNode manager : stage.world().managers()) {
      manager.kill();
    }
    rotten.kill();
    stage.world().pass(1_000);
    stage.world().managers().forEach(ManagerNode::start);
    stage.restart(rotten);
    var closed = stage.call(file.close());
    awaitWell(rotten, objectId, 2);
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void twoInAStripeAreNamedUntilTheStripeIsWritten() throws Exception {
    StorageMap map = written(PATH, Stage.WIDE);
    long objectId = stage.objectId(client, PATH);
    OsdNode first = stage.dataOsd(map, 1);
    blocks.rot(first, objectId, 0);
    blocks.rot(stage.dataOsd(map, 2), objectId, 0);
    stage.world().pass(120_000);
    assertTrue(blocks.isBad(first, objectId, 0));
    List<DamagedFiles.One> damaged = damaged();
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    assertEquals(
        List.of(new ByteRange(Stage.UNIT, 3L * Stage.UNIT)), damaged.get(0).gone());
    WeftFile file = stage.open(client, PATH);
    byte[] stripe = Stage.bytes(4, Stage.STRIPE);
    stage.call(Stage.write(file, 0, stripe));
    var closed = stage.call(file.close());
    stage.world().pass(60_000);
    assertEquals(List.of(), damaged());
    stage.assertHolds(PATH, Stage.changed(OLD, 0, stripe));
  }

  @Test
  void whatContradictsItselfIsNamedAndNotWritten() throws Exception {
    StorageMap map = written(PATH, DOUBLE);
    long objectId = stage.objectId(client, PATH);
    OsdNode rotten = stage.dataOsd(map, 0);
    blocks.replace(stage.dataOsd(map, 1), objectId, 0, NEWS);
    blocks.rot(rotten, objectId, 0);
    stage.world().pass(120_000);
    assertTrue(blocks.isBad(rotten, objectId, 0), "which of the others is right nobody knows");
    List<DamagedFiles.One> damaged = damaged();
    assertEquals(List.of(PATH), damaged.stream().map(DamagedFiles.One::path).toList());
    assertTrue(damaged.get(0).what().contains("contradict"), damaged.get(0).what());
  }

  @Test
  void anOldUnitIsNoSource() throws Exception {
    StorageMap map = written(PATH, DOUBLE);
    long objectId = stage.objectId(client, PATH);
    OsdNode away = stage.dataOsd(map, 1);
    away.kill();
    stage.world().pass(5_000);
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, Stage.UNIT, NEWS));
    var closed = stage.call(file.close());
    OsdNode rotten = stage.dataOsd(map, 0);
    blocks.rot(rotten, objectId, 0);
    away.start();
    awaitWell(rotten, objectId, 0);
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, Stage.UNIT, NEWS));
    assertFalse(blocks.isBad(rotten, objectId, 0));
  }
}
