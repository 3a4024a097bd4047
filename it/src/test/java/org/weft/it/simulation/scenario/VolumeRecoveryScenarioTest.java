package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.FileStatus;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.sysmgr.configuration.volume.Volume;

/** Volumes whose managers all lose their disks, and that are recovered from their OSDs (P 6.8e). */
class VolumeRecoveryScenarioTest {
  private static final long SEED = 95_610_000;
  private static final long SCRUB_SEED = 95_750_000;
  private static final long SCRUB_MILLIS = 600_000;
  private static final byte[] WIDE = Stage.bytes(1, 2 * Stage.STRIPE + 777);
  private static final byte[] SMALL = Stage.bytes(2, 1_000);
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);
  private static final long LONG_MILLIS = 120_000;

  /** Longer than managers wait before they bring anything to OSDs. */
  private static final long FLUSHED_MILLIS = 15_000;

  private static final WeftPath DIRECTORY = WeftPath.of("/d");

  private static Volume root(Stage stage) {
    return stage.world().configuration().orElseThrow().volumes().get(Volume.ROOT);
  }

  private static void loseAll(Stage stage) {
    for (SimulatedManager each : stage.world().managers()) {
      each.machine().loseDisk();
    }
    for (SimulatedManager each : stage.world().managers()) {
      each.start();
    }
  }

  /** It is refused until SysMgr has given up the managers of before. */
  private static void order(Stage stage) {
    while (root(stage).recovery().isEmpty()) {
      CompletableFuture<Void> ordered = stage.world().moves().recover("/");
      stage.world().await("an answer", LONG_MILLIS, ordered::isDone);
      stage.world().pass(ordered.isCompletedExceptionally() ? 500 : 0);
      if (!ordered.isCompletedExceptionally()) {
        return;
      }
    }
  }

  private static boolean isUnderWay(Stage stage) {
    return stage.world().managers().stream()
        .flatMap(each -> each.health().stream())
        .anyMatch(VolumeHealth::hasRecovery);
  }

  private static void awaitRecovered(Stage stage) {
    stage
        .world()
        .await(
            "the volume is recovered and served",
            LONG_MILLIS,
            () ->
                stage.world().configuration().isPresent()
                    && root(stage).recovery().isEmpty()
                    && stage.world().managers().stream().anyMatch(SimulatedManager::isServing));
  }

  private static List<String> names(Stage stage, ClientNode client, WeftPath directory)
      throws WeftException {
    var listing = client.files().list(directory);
    List<String> names = new ArrayList<>();
    for (Optional<List<FileStatus>> page = stage.call(listing.nextPage());
        page.isPresent();
        page = stage.call(listing.nextPage())) {
      page.get()
          .forEach(
              status ->
                  names.add(
                      "%s %o %s %d"
                          .formatted(
                              status.path().name(),
                              status.mode(),
                              status.owner(),
                              status.sizeBytes())));
    }
    names.sort(null);
    return names;
  }

  @Test
  void recoveryRestoresTheVolumeThroughCrashes() throws Exception {
    for (long millis : List.of(20L, 40L, 80L, 160L, 225L)) {
      Stage stage = Stage.boot(WorldOptions.of(SEED + millis).withPairs(2));
      ClientNode client = stage.client();
      var unused = stage.call(client.files().mkdir(DIRECTORY, 0750));
      stage.put(client, "/d/wide", Stage.WIDE, WIDE);
      stage.put(client, "/d/small", Stage.WIDE, SMALL);
      stage.put(client, "/moved", Stage.WIDE, SMALL);
      stage.call(client.files().rename(WeftPath.of("/moved"), WeftPath.of("/d/there"), false));
      WeftFile open = stage.open(client, "/d/open", Stage.WIDE, WIDE);
      stage.heal();
      stage.world().pass(FLUSHED_MILLIS);
      stage.call(Stage.write(open, Stage.UNIT, NEWS));
      stage.call(open.hflush());
      List<String> before = names(stage, client, DIRECTORY);
      assertEquals(4, before.size());
      loseAll(stage);
      order(stage);
      stage.world().await("it is begun", LONG_MILLIS, () -> isUnderWay(stage));
      stage.world().pass(millis);
      if (millis % 20 == 0) {
        stage.world().managers().forEach(SimulatedManager::kill);
        stage.world().managers().forEach(SimulatedManager::start);
      } else {
        stage.world().sysmgrs().forEach(each -> each.kill());
        stage.world().sysmgrs().forEach(each -> each.start());
      }
      awaitRecovered(stage);
      stage.heal();
      ClientNode other = stage.client();
      assertEquals(before, names(stage, other, DIRECTORY));
      List<String> top = names(stage, other, WeftPath.of("/"));
      assertTrue(top.stream().anyMatch(each -> each.startsWith("d 750")), top::toString);
      stage.assertHolds("/d/wide", WIDE);
      stage.assertHolds("/d/small", SMALL);
      stage.assertHolds("/d/there", SMALL);
      stage.assertHolds("/d/open", Stage.changed(WIDE, Stage.UNIT, NEWS));
      stage.put(other, "/d/new", Stage.WIDE, SMALL);
      stage.assertHolds("/d/new", SMALL);
    }
  }

  private static ParityScrubState scrub(Stage stage) {
    return stage.world().managers().stream()
        .flatMap(manager -> manager.health().stream())
        .filter(volume -> volume.getState().equals("serving"))
        .map(VolumeHealth::getParityScrub)
        .findFirst()
        .orElse(ParityScrubState.getDefaultInstance());
  }

  /** Its place and what it had named were in the journals that are lost: it begins anew. */
  @Test
  void scrubBeginsAgainAfterAVolumeRecovery() throws Exception {
    for (int turn = 0; turn < 3; turn++) {
      Stage stage = Stage.boot(WorldOptions.of(SCRUB_SEED + turn).withPairs(2).withScrub());
      ClientNode client = stage.client();
      var unused = stage.call(client.files().mkdir(DIRECTORY, 0750));
      stage.put(client, "/d/wide", Stage.WIDE, WIDE);
      stage.put(client, "/d/small", Stage.WIDE, SMALL);
      stage.world().await("two passes", SCRUB_MILLIS, () -> scrub(stage).getPasses() >= 2);
      WeftFile open = stage.open(client, "/d/open", Stage.WIDE, WIDE);
      stage.world().pass(FLUSHED_MILLIS);
      stage.call(Stage.write(open, Stage.UNIT, NEWS));
      stage.call(open.hflush());
      loseAll(stage);
      order(stage);
      stage.world().await("it is begun", LONG_MILLIS, () -> isUnderWay(stage));
      stage.world().pass(20L * turn);
      if (turn == 2) {
        stage.world().managers().forEach(SimulatedManager::kill);
        stage.world().managers().forEach(SimulatedManager::start);
      }
      awaitRecovered(stage);
      stage.heal();
      long passes = scrub(stage).getPasses();
      stage
          .world()
          .await(
              "a pass over all files: " + scrub(stage),
              SCRUB_MILLIS,
              () ->
                  scrub(stage).getPasses() > passes
                      && scrub(stage).getLastFiles() == 3
                      && scrub(stage).getLastLeft() == 0);
      assertEquals(0, scrub(stage).getContradicted(), () -> scrub(stage).toString());
      stage.assertHolds("/d/wide", WIDE);
      stage.assertHolds("/d/small", SMALL);
      stage.assertHolds("/d/open", Stage.changed(WIDE, Stage.UNIT, NEWS));
    }
  }
}
