package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** Managers copy components for the primary of a volume, and fail at it (P 6.8). */
class HelpedRebuildTest {
  private static final int FILES = 4;

  /** At how many moments a manager fails; {@code -Dweft.moments=4} has more of them. */
  private static final int MOMENTS = Integer.getInteger("weft.moments", 2);

  private static final long AFTER_MILLIS = 8_000;

  /** As {@link Stage#WIDE}, in as few requests as its many bytes take. */
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, 64 << 10);

  /** A component is copied in five pieces of 256 KiB. */
  private static final byte[] OLD = Stage.bytes(1, 320 * Stage.STRIPE);

  private static final byte[] NEWS = Stage.bytes(2, OLD.length);
  private static final long SLOW_NANOS = 60_000_000;

  /** Twenty pieces of a component, with pauses of minutes. */
  private static final int LONG = 1_280 * Stage.STRIPE;

  private static final long MAX_NANOS = 650_000_000;

  /** A component takes several seconds: its worker is asked more than once how far it is. */
  private static final long SLOWER_NANOS = 200_000_000;

  /**
   * A cluster that loses an OSD with a component of each file.
   *
   * @param paths of files that leave the same OSD out
   * @param spare that OSD: all components that are lost go there
   */
  private record Scene(
      Stage stage, ClientNode client, List<String> paths, SimulatedOsd lost, SimulatedOsd spare) {
    static Scene of(WorldOptions options) throws Exception {
      return of(options, FILES, OLD);
    }

    static Scene of(WorldOptions options, int files, byte[] content) throws Exception {
      Stage stage = Stage.boot(options.withRepair(AFTER_MILLIS).withOsdCapacityBytes(64L << 20));
      ClientNode client = stage.client();
      List<String> paths = new ArrayList<>();
      Optional<SimulatedOsd> spare = Optional.empty();
      for (int file = 0; paths.size() < files; file++) {
        String path = "/file-" + file;
        WeftOutput out =
            stage.call(
                client.files().create(WeftPath.of(path), CreateOptions.newFile().withLayout(WIDE)));
        SimulatedOsd left = leftOut(stage, stage.map(client, path));
        // Where it lies is known before a byte is written: most of them lie elsewhere.
        if (spare.isEmpty() || spare.get() == left) {
          spare = Optional.of(left);
          paths.add(path);
          stage.call(out.write(ByteBuffer.wrap(content)));
          stage.call(out.close());
        } else {
          stage.call(out.close());
          stage.call(client.files().unlink(WeftPath.of(path)));
        }
      }
      stage.world().pass(12_000);
      SimulatedOsd lost = stage.dataOsd(stage.map(client, paths.get(0)), 1);
      return new Scene(stage, client, paths, lost, spare.get());
    }

    private static SimulatedOsd leftOut(Stage stage, StorageMap map) {
      return stage.world().osds().stream()
          .filter(osd -> !map.components().contains(new OsdId(osd.osdId())))
          .findFirst()
          .orElseThrow();
    }

    void assertHold(byte[] content) throws Exception {
      for (String path : paths) {
        stage.assertHolds(path, content);
      }
    }

    void overwriteAll() throws Exception {
      for (String path : paths) {
        WeftFile file = stage.open(client, path);
        stage.call(file.write(0, ByteBuffer.wrap(NEWS)));
        var unused = stage.call(file.close());
      }
    }

    SimulatedManager primary() {
      return stage.world().managers().stream()
          .filter(SimulatedManager::isServing)
          .findFirst()
          .orElseThrow();
    }

    List<SimulatedManager> others() {
      SimulatedManager primary = primary();
      return stage.world().managers().stream().filter(each -> each != primary).toList();
    }

    /** Everything that managers ask OSDs takes long. */
    void slowManagers(long nanos) {
      for (SimulatedManager manager : stage.world().managers()) {
        for (SimulatedOsd osd : stage.world().osds()) {
          stage.world().network().latency(manager.name(), osd.name(), nanos);
        }
      }
    }

    int managersAtWork() {
      return stage.world().managers().stream()
          .flatMap(manager -> manager.health().stream())
          .mapToInt(volume -> volume.getRepair().getManagers())
          .max()
          .orElse(0);
    }

    /** Loses the OSD, and lets time pass until so many managers copy. */
    void loseUntilManagersCopy(int managers) {
      loseUntilManagersCopy(managers, SLOW_NANOS);
    }

    private void loseUntilManagersCopy(int managers, long slowNanos) {
      slowManagers(slowNanos);
      lost.kill();
      stage.world().await(managers + " managers copy", 60_000, () -> managersAtWork() >= managers);
    }

    void awaitRebuilt(String path) throws Exception {
      for (int look = 0; look < 600; look++) {
        StorageMap map = stage.map(client, path);
        if (!map.components().contains(new OsdId(lost.osdId())) && map.missing().isEmpty()) {
          return;
        }
        stage.world().pass(500);
      }
      throw new AssertionError(path + " is not rebuilt: " + primary().problems());
    }

    void awaitAllRebuilt() throws Exception {
      for (String path : paths) {
        awaitRebuilt(path);
      }
    }
  }

  @Test
  void otherManagersCopyForTheOneThatServesTheVolume() throws Exception {
    Scene scene = Scene.of(WorldOptions.of(95740001).withLone(3));
    scene.loseUntilManagersCopy(3);
    scene.awaitAllRebuilt();
    scene.assertHold(OLD);
  }

  @Test
  void primaryWaitsForAWorkersUnwrittenBytes() throws Exception {
    Scene scene = Scene.of(WorldOptions.of(95800300).withLone(3));
    scene.loseUntilManagersCopy(3, SLOWER_NANOS);
    scene.awaitAllRebuilt();
    scene.assertHold(OLD);
  }

  /**
   * The primary has a turn for the one file, and a worker copies the other, each for some 22
   * minutes. If the worker's right ended, the primary would begin with its component when it is
   * through with its own, and take as long again.
   */
  @Test
  void workerRenewsItsRightDuringALongCopy() throws Exception {
    Scene scene =
        Scene.of(WorldOptions.of(95840001).withLone(2).withRepairShare(1), 2, Stage.bytes(3, LONG));
    scene.loseUntilManagersCopy(2, MAX_NANOS);
    scene.stage().world().pass(CapabilityMint.COPIERS_LIFE_MILLIS);
    assertEquals(2, scene.managersAtWork(), "no component is copied while the first right lasts");
    int[] looks = new int[1];
    while (scene.managersAtWork() > 0) {
      assertTrue(looks[0]++ < 15, "a component is copied anew: " + scene.primary().problems());
      scene.stage().world().pass(60_000);
    }
    scene.awaitAllRebuilt();
    scene.assertHold(Stage.bytes(3, LONG));
  }

  @Test
  void otherManagersCopyADeadWorkersShare() throws Exception {
    Scene scene = Scene.of(WorldOptions.of(95740002).withLone(3));
    scene.loseUntilManagersCopy(2);
    scene.others().forEach(SimulatedManager::kill);
    scene.awaitAllRebuilt();
    scene.others().forEach(SimulatedManager::start);
    scene.assertHold(OLD);
  }

  @Test
  void frozenWorkersLateWritesChangeNothing() throws Exception {
    for (int steps = 0; steps < MOMENTS; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740003).withLone(2));
      scene.loseUntilManagersCopy(2);
      SimulatedManager worker = scene.others().get(0);
      freezeWithWritesUnderWay(scene, worker, 300 + 150L * steps);
      scene.awaitAllRebuilt();
      scene.overwriteAll();
      wake(scene, worker);
      scene.assertHold(NEWS);
    }
  }

  @Test
  void frozenWorkersLateWritesRestoreNoRemovedFile() throws Exception {
    for (int steps = 0; steps < MOMENTS; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740007).withLone(2));
      Stage stage = scene.stage();
      long[] objects = new long[FILES];
      for (int file = 0; file < FILES; file++) {
        objects[file] = stage.objectId(scene.client(), scene.paths().get(file));
      }
      scene.loseUntilManagersCopy(2);
      SimulatedManager worker = scene.others().get(0);
      freezeWithWritesUnderWay(scene, worker, 300 + 150L * steps);
      for (String path : scene.paths()) {
        stage.call(scene.client().files().unlink(WeftPath.of(path)));
        stage.put(scene.client(), path + "-next", WIDE, NEWS);
      }
      stage.world().pass(30_000);
      wake(scene, worker);
      for (long object : objects) {
        for (SimulatedOsd osd : stage.world().osds()) {
          assertFalse(
              osd.isRunning() && stage.hasObject(osd, object),
              () -> osd.name() + " has object " + object);
        }
      }
      scene.lost().start();
      stage.heal();
      for (String path : scene.paths()) {
        stage.assertHolds(path + "-next", NEWS);
      }
    }
  }

  @Test
  void nextPrimaryCopiesADeadPrimarysShareAgain() throws Exception {
    for (int steps = 0; steps < MOMENTS; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740011).withPairs(3));
      scene.loseUntilManagersCopy(2);
      SimulatedManager primary = scene.primary();
      List<SimulatedManager> others = scene.others();
      for (SimulatedManager worker : others) {
        cutFromSpare(scene, worker);
      }
      scene.stage().world().pass(200L + 150L * steps);
      primary.kill();
      scene
          .stage()
          .world()
          .await(
              "a backup is promoted",
              60_000,
              () -> others.stream().anyMatch(each -> !each.health().isEmpty()));
      SimulatedManager late =
          others.stream().filter(each -> each.health().isEmpty()).findFirst().get();
      late.pause();
      scene.stage().world().network().healBut((from, to) -> from.equals(late.name()));
      scene.awaitAllRebuilt();
      scene.overwriteAll();
      wake(scene, late);
      primary.start();
      scene.stage().world().pass(30_000);
      scene.assertHold(NEWS);
    }
  }

  /** What it has sent to the spare waits in the network, and it does not hear of anything. */
  private static void freezeWithWritesUnderWay(Scene scene, SimulatedManager worker, long millis) {
    scene.stage().world().pass(millis);
    cutFromSpare(scene, worker);
    scene.stage().world().pass(400);
    worker.pause();
  }

  private static void cutFromSpare(Scene scene, SimulatedManager worker) {
    scene.stage().world().network().cut(worker.name(), scene.spare().name());
  }

  private static void wake(Scene scene, SimulatedManager worker) {
    scene.stage().world().network().heal();
    scene.stage().world().pass(200);
    worker.resume();
    scene.stage().world().pass(30_000);
  }
}
