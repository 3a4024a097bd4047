package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.NodeState;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/**
 * What may happen in a drain (P 6.8a). Managers die, the drain is undone, the drained OSD or the
 * one that takes its components is lost, files are written. Nothing is left half done.
 */
class DrainUnderHarmTest {
  private static final String PATH = LayoutFiles.WIDE;
  private static final byte[] OLD = LayoutFiles.LONG_BYTES;
  private static final byte[] SMALL = LayoutFiles.SHORT_BYTES;
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);

  /** No OSD counts as lost for being down. */
  private static final long NEVER_MILLIS = 100_000_000;

  private static final long MAX_MILLIS = 600_000;

  /** Of each directory. */
  private static final int COPIES = 3;

  private static final int STEPS = 6;

  private static Stage boot(long seed, int osds) throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(seed).withRepair(NEVER_MILLIS).withOsds(osds));
    ClientNode client = stage.client();
    LayoutFiles.put(stage, client);
    stage.world().pass(12_000);
    return stage;
  }

  /** A moment in which managers have found something to do, and some of it may be done. */
  private static void awaitMidst(Stage stage, int step) {
    for (int look = 0; look < 4_000 && !isBusy(stage); look++) {
      stage.world().pass(5);
    }
    assertTrue(isBusy(stage), "managers have nothing to do");
    stage.world().pass(40L * step);
  }

  private static boolean isBusy(Stage stage) {
    return stage.world().managers().stream()
        .flatMap(manager -> manager.health().stream())
        .anyMatch(volume -> volume.getRepair().getFilesToDo() > 0);
  }

  private static void killAndStart(Stage stage) {
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    stage.world().pass(700);
    manager.start();
  }

  private static boolean isDown(Stage stage, SimulatedOsd osd) {
    return stage.world().table().orElseThrow().getOsdsList().stream()
        .anyMatch(row -> row.getOsdId() == osd.osdId() && row.getState() == NodeState.DOWN);
  }

  private static void await(Stage stage, String what, BooleanSupplier condition) {
    stage.world().await(what, MAX_MILLIS, condition);
  }

  /** Every file is whole, none names the OSD, and no other OSD keeps a piece of any. */
  private static void assertNothingIsHalfDone(Stage stage, SimulatedOsd left) throws Exception {
    ClientNode client = stage.client();
    // What is to be removed somewhere is removed.
    stage.world().pass(20_000);
    for (String path : LayoutFiles.PATHS) {
      StorageMap map = stage.map(client, path);
      long objectId = stage.objectId(client, path);
      assertTrue(map.missing().isEmpty(), path + ": " + map);
      OsdId id = new OsdId(left.osdId());
      assertFalse(map.components().contains(id), path + ": " + map);
      assertFalse(map.attributeOsds().contains(id), path + ": " + map);
      for (SimulatedOsd osd : stage.world().osds()) {
        OsdId each = new OsdId(osd.osdId());
        boolean named = map.components().contains(each) || map.attributeOsds().contains(each);
        boolean isAway = osd == left;
        assertTrue(
            named || isAway || !stage.hasObject(osd, objectId), osd.name() + " keeps " + path);
      }
    }
    for (String path : LayoutFiles.DIRECTORIES) {
      long objectId = stage.objectId(client, path);
      List<String> holders =
          stage.world().osds().stream()
              .filter(osd -> osd != left && stage.hasObject(osd, objectId))
              .map(SimulatedOsd::name)
              .toList();
      assertEquals(COPIES, holders.size(), path + " is on " + holders);
    }
    for (SimulatedManager manager : stage.world().managers()) {
      assertTrue(
          manager.health().stream().noneMatch(volume -> volume.hasRepair()),
          () -> manager.health().toString());
    }
    stage.assertHolds(LayoutFiles.SMALL, SMALL);
    stage.assertHolds(LayoutFiles.MIRRORED, SMALL);
    stage.assertHolds(LayoutFiles.DOUBLE, OLD);
  }

  @Test
  void oneOfTwoDrainsIsUndoneWhileManagersDie() throws Exception {
    for (int step = 1; step <= STEPS; step++) {
      Stage stage = boot(step, 8);
      StorageMap before = stage.map(stage.client(), LayoutFiles.DOUBLE);
      SimulatedOsd drained = stage.dataOsd(before, 0);
      SimulatedOsd kept = stage.dataOsd(before, 1);
      stage.drain(drained);
      stage.drain(kept);
      awaitMidst(stage, step);
      killAndStart(stage);
      stage.world().pass(400L * step);
      var undone = stage.call(stage.world().osdDrains().undrain(kept.osdId()));
      killAndStart(stage);
      stage.heal();
      await(stage, drained.name() + " holds nothing", () -> stage.isEmptied(drained));
      assertNothingIsHalfDone(stage, drained);
      stage.assertHolds(PATH, OLD);
    }
  }

  @Test
  void theDrainedOsdIsLostAndRemovedInTheMidst() throws Exception {
    for (int step = 1; step <= STEPS; step++) {
      Stage stage = boot(step, 7);
      SimulatedOsd drained = stage.dataOsd(stage.map(stage.client(), PATH), 1);
      stage.drain(drained);
      awaitMidst(stage, step);
      drained.kill();
      if (step % 2 == 0) {
        killAndStart(stage);
      }
      await(stage, drained.name() + " is down", () -> isDown(stage, drained));
      var removed = stage.call(stage.world().removeLostOsds(drained));
      await(stage, "all of it is elsewhere", () -> stage.isEmptied(drained));
      assertNothingIsHalfDone(stage, drained);
      stage.assertHolds(PATH, OLD);
      killAndStart(stage);
      stage.world().pass(20_000);
      assertTrue(stage.isEmptied(drained), "it is looked for again: " + stage.work());
    }
  }

  @Test
  void drainSurvivesTheDeathOfItsOnlyTargetDuringWrites() throws Exception {
    for (int step = 1; step <= STEPS; step++) {
      Stage stage = boot(step, 6);
      ClientNode client = stage.client();
      StorageMap before = stage.map(client, PATH);
      SimulatedOsd drained = stage.dataOsd(before, 1);
      SimulatedOsd spare =
          stage.world().osds().stream()
              .filter(osd -> !before.components().contains(new OsdId(osd.osdId())))
              .findFirst()
              .orElseThrow();
      stage.drain(drained);
      awaitMidst(stage, step);
      spare.kill();
      stage.world().pass(10_000);
      WeftFile file = stage.open(client, PATH);
      stage.call(Stage.write(file, Stage.UNIT, NEWS));
      var closed = stage.call(file.close());
      if (step % 2 == 0) {
        killAndStart(stage);
      }
      stage.restart(spare);
      stage.heal();
      await(stage, drained.name() + " holds nothing", () -> stage.isEmptied(drained));
      assertNothingIsHalfDone(stage, drained);
      stage.assertHolds(PATH, Stage.changed(OLD, Stage.UNIT, NEWS));
    }
  }
}
