package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.it.simulation.world.ClientNode;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.it.simulation.world.WorldOptions;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** Managers copy components for the primary of a volume, and fail at it (P 6.8). */
class HelpedRebuildTest {
  private static final int FILES = 4;
  private static final long AFTER_MILLIS = 8_000;

  /** A component is copied in three pieces of 256 KiB. */
  private static final byte[] OLD = Stage.bytes(1, 160 * Stage.STRIPE);

  private static final byte[] NEWS = Stage.bytes(2, OLD.length);
  private static final long SLOW_NANOS = 60_000_000;

  /** A cluster that has lost an OSD with a component of each file. */
  private record Scene(Stage stage, ClientNode client, OsdNode lost) {
    static Scene of(WorldOptions options) throws Exception {
      Stage stage = Stage.boot(options.withRepair(AFTER_MILLIS).withOsdCapacityBytes(64L << 20));
      ClientNode client = stage.client();
      for (String path : paths()) {
        stage.put(client, path, Stage.WIDE, OLD);
      }
      stage.world().pass(12_000);
      return new Scene(stage, client, osdOfAll(stage, client));
    }

    /** Each file leaves one OSD out, and has a component on all others. */
    private static OsdNode osdOfAll(Stage stage, ClientNode client) throws Exception {
      Set<OsdId> all = new TreeSet<>(stage.map(client, path(0)).components());
      for (String path : paths()) {
        all.retainAll(stage.map(client, path).components());
      }
      return stage.world().osds().stream()
          .filter(osd -> all.contains(new OsdId(osd.osdId())))
          .findFirst()
          .orElseThrow();
    }

    ManagerNode primary() {
      return stage.world().managers().stream()
          .filter(ManagerNode::isServing)
          .findFirst()
          .orElseThrow();
    }

    List<ManagerNode> others() {
      ManagerNode primary = primary();
      return stage.world().managers().stream().filter(each -> each != primary).toList();
    }

    /** Everything that managers ask OSDs takes long. */
    void slowManagers() {
      for (ManagerNode manager : stage.world().managers()) {
        for (OsdNode osd : stage.world().osds()) {
          stage.world().network().latency(manager.name(), osd.name(), SLOW_NANOS);
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
      slowManagers();
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
      for (String path : paths()) {
        awaitRebuilt(path);
      }
    }

    void overwrite(String path) throws Exception {
      WeftFile file = stage.open(client, path);
      var written = stage.call(file.write(0, ByteBuffer.wrap(NEWS)));
      var closed = stage.call(file.close());
    }
  }

  private static String path(int file) {
    return "/file-" + file;
  }

  private static List<String> paths() {
    return IntStream.range(0, FILES).mapToObj(HelpedRebuildTest::path).toList();
  }

  @Test
  void otherManagersCopyForTheOneThatServesTheVolume() throws Exception {
    Scene scene = Scene.of(WorldOptions.of(95740001).withLone(3));
    scene.loseUntilManagersCopy(3);
    scene.awaitAllRebuilt();
    for (String path : paths()) {
      scene.stage().assertHolds(path, OLD);
    }
  }

  @Test
  void whatAWorkerThatDiesHadIsCopiedByOthers() throws Exception {
    Scene scene = Scene.of(WorldOptions.of(95740002).withLone(3));
    scene.loseUntilManagersCopy(3);
    scene.others().forEach(ManagerNode::kill);
    scene.awaitAllRebuilt();
    scene.others().forEach(ManagerNode::start);
    for (String path : paths()) {
      scene.stage().assertHolds(path, OLD);
    }
  }

  @Test
  void whatAFrozenWorkerWritesLateChangesNothingThatWasWrittenSince() throws Exception {
    for (int steps = 0; steps < 4; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740003).withLone(2));
      scene.loseUntilManagersCopy(2);
      ManagerNode worker = scene.others().get(0);
      freezeWithWritesUnderWay(scene, worker, 100L * steps);
      scene.awaitAllRebuilt();
      for (String path : paths()) {
        scene.overwrite(path);
      }
      wake(scene, worker);
      for (String path : paths()) {
        scene.stage().assertHolds(path, NEWS);
      }
    }
  }

  @Test
  void whatAFrozenWorkerWritesLateBringsNoRemovedFileBack() throws Exception {
    for (int steps = 0; steps < 4; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740007).withLone(2));
      Stage stage = scene.stage();
      long[] objects = new long[FILES];
      for (int file = 0; file < FILES; file++) {
        objects[file] = stage.objectId(scene.client(), path(file));
      }
      scene.loseUntilManagersCopy(2);
      ManagerNode worker = scene.others().get(0);
      freezeWithWritesUnderWay(scene, worker, 100L * steps);
      for (String path : paths()) {
        stage.call(scene.client().files().unlink(WeftPath.of(path)));
        stage.put(scene.client(), path + "-next", Stage.WIDE, NEWS);
      }
      stage.world().pass(30_000);
      wake(scene, worker);
      for (long object : objects) {
        for (OsdNode osd : stage.world().osds()) {
          assertFalse(
              osd.isRunning() && stage.hasObject(osd, object),
              () -> osd.name() + " has object " + object);
        }
      }
      scene.lost().start();
      stage.heal();
      for (String path : paths()) {
        stage.assertHolds(path + "-next", NEWS);
      }
    }
  }

  @Test
  void whatAWorkerCopiesForAPrimaryThatDiesIsCopiedAgainByTheNextOne() throws Exception {
    for (int steps = 0; steps < 3; steps++) {
      Scene scene = Scene.of(WorldOptions.of(95740011).withPairs(3));
      scene.loseUntilManagersCopy(3);
      ManagerNode primary = scene.primary();
      List<ManagerNode> others = scene.others();
      for (ManagerNode worker : others) {
        cutFromOsds(scene, worker);
      }
      scene.stage().world().pass(200L + 150 * steps);
      primary.kill();
      scene
          .stage()
          .world()
          .await(
              "a backup is promoted",
              60_000,
              () -> others.stream().anyMatch(each -> !each.health().isEmpty()));
      ManagerNode late = others.stream().filter(each -> each.health().isEmpty()).findFirst().get();
      late.pause();
      scene.stage().world().network().healBut((from, to) -> from.equals(late.name()));
      scene.awaitAllRebuilt();
      for (String path : paths()) {
        scene.overwrite(path);
      }
      wake(scene, late);
      primary.start();
      scene.stage().world().pass(30_000);
      for (String path : paths()) {
        scene.stage().assertHolds(path, NEWS);
      }
    }
  }

  /** Requests that it has sent to OSDs wait in the network, and it does not hear of anything. */
  private static void freezeWithWritesUnderWay(Scene scene, ManagerNode worker, long millis) {
    scene.stage().world().pass(millis);
    cutFromOsds(scene, worker);
    scene.stage().world().pass(400);
    worker.pause();
  }

  private static void cutFromOsds(Scene scene, ManagerNode worker) {
    for (OsdNode osd : scene.stage().world().osds()) {
      scene.stage().world().network().cut(worker.name(), osd.name());
    }
  }

  private static void wake(Scene scene, ManagerNode worker) {
    scene.stage().world().network().heal();
    scene.stage().world().pass(200);
    worker.resume();
    scene.stage().world().pass(30_000);
  }
}
