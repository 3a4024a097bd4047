package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.sysmgr.configuration.volume.Volume;

/** Volumes that move from manager to manager while clients work (P 6.2). */
class VolumeMoveTest {
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final long LONG_MILLIS = 120_000;
  private static final long ROOT = 1;

  private static int other(Stage stage, int managers) {
    return stage.world().moves().primary(ROOT).orElseThrow() % managers + 1;
  }

  private static void await(Stage stage, CompletableFuture<Void> asked) {
    stage.world().await("it is carried out", LONG_MILLIS, asked::isDone);
    asked.join();
  }

  private static SimulatedManager node(Stage stage, int manager) {
    return stage.world().managers().stream()
        .filter(each -> each.isServing())
        .findFirst()
        .orElseThrow(() -> new AssertionError("manager-" + manager + " does not serve"));
  }

  private static void awaitBackup(Stage stage) {
    stage
        .world()
        .await(
            "the volume has a backup",
            LONG_MILLIS,
            () -> root(stage).backup().manager().isPresent());
  }

  private static Volume root(Stage stage) {
    return stage.world().configuration().orElseThrow().volumes().get(Volume.ROOT);
  }

  /** The manager of three that is neither the primary nor the backup. */
  private static int third(Stage stage) {
    Volume root = root(stage);
    return 6 - root.owner().orElseThrow().value() - root.backup().manager().orElseThrow().value();
  }

  @Test
  void aVolumeWithoutABackupTakesItsJournalWithIt() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(31).withLone(2));
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    WeftFile file = stage.open(client, "/open", Stage.WIDE, OLD);
    for (int round = 0; round < 3; round++) {
      int target = other(stage, 2);
      long begunNanos = stage.world().time().nowNanos();
      await(stage, stage.world().moves().move("/", target));
      assertEquals(Optional.of(target), stage.world().moves().primary(ROOT));
      stage.call(Stage.write(file, round * Stage.UNIT, NEWS));
      long millis = (stage.world().time().nowNanos() - begunNanos) / 1_000_000;
      assertTrue(millis < 1_900, "no lease was waited for, but it took " + millis + " ms");
      stage.put(client, "/round-" + round, Stage.WIDE, OLD);
    }
    stage.call(file.close());
    stage.heal();
    stage.assertHolds("/before", OLD);
    stage.assertHolds("/round-2", OLD);
  }

  @Test
  void movedVolumeHasABackupAgain() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(32).withPairs(3));
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    for (int round = 0; round < 3; round++) {
      awaitBackup(stage);
      int target = third(stage);
      await(stage, stage.world().moves().move("/", target));
      assertEquals(Optional.of(target), stage.world().moves().primary(ROOT));
      stage.put(client, "/round-" + round, Stage.WIDE, OLD);
    }
    awaitBackup(stage);
    stage.heal();
    stage.assertHolds("/before", OLD);
    stage.assertHolds("/round-0", OLD);
  }

  @Test
  void aDrainedManagerServesNothingUntilItIsUndrained() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(33).withLone(2));
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    int first = stage.world().moves().primary(ROOT).orElseThrow();
    await(stage, stage.world().moves().drain(first, false));
    assertEquals(Optional.of(other(stage, 2)), Optional.of(first));
    stage.put(client, "/after", Stage.WIDE, OLD);
    await(stage, stage.world().moves().drain(first, true));
    await(stage, stage.world().moves().move("/", first));
    stage.heal();
    stage.assertHolds("/before", OLD);
    stage.assertHolds("/after", OLD);
  }

  @Test
  void primaryThatDiedDuringAMoveFinishesItOnReturn() throws Exception {
    for (long millis = 20; millis < 700; millis += 110) {
      Stage stage = Stage.boot(WorldOptions.of(40 + millis).withLone(2));
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      int target = other(stage, 2);
      SimulatedManager primary = node(stage, target);
      CompletableFuture<Void> moved = stage.world().moves().move("/", target);
      stage.world().pass(millis);
      primary.kill();
      stage.world().pass(3_000);
      primary.start();
      await(stage, moved);
      stage.put(client, "/after", Stage.WIDE, OLD);
      assertEquals(Optional.of(target), stage.world().moves().primary(ROOT));
      stage.heal();
      stage.assertHolds("/before", OLD);
      stage.assertHolds("/after", OLD);
    }
  }
}
