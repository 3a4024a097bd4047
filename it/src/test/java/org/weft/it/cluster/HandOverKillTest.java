package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/**
 * Hand-overs that an operator asks for, with processes of their own and clients at work (P 6.2). A
 * volume moves, and a manager is drained and removed. Each time a daemon that takes part is killed
 * (SIGKILL) on the way and started again. Nothing that was acknowledged is lost, no client sees an
 * error, and the operator's wish comes about or is refused with a reason.
 *
 * <p>{@code -Dweft.kill.rounds=N} does the moves more often, {@code -Dweft.kill.seed=N} at other
 * moments.
 */
@Tag("long")
class HandOverKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 1);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_129L);
  private static final int OSDS = 4;
  private static final int MANAGERS = 3;
  private static final int DEADLINE_SECONDS = 120;

  /** A move of this volume takes about as long. */
  private static final int MAX_DELAY_MILLIS = 400;

  private enum Victim {
    PRIMARY,
    TARGET,
    SYSMGR
  }

  @TempDir Path scratch;

  private final Random random = new Random(SEED);

  @Test
  void moveLosesNothingWhicheverDaemonDies() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, MANAGERS)) {
      awaitPair(cluster);
      try (PairLoad load = PairLoad.start(cluster)) {
        for (int round = 0; round < ROUNDS; round++) {
          for (Victim victim : Victim.values()) {
            load.awaitProgress();
            moveAndKill(cluster, victim);
            load.awaitProgress();
            System.out.printf(
                "hand-over: %s killed in the midst of a move, longest stall %d ms%n",
                victim, load.stallMillis());
          }
        }
        load.verify();
      }
      cluster.stop();
      assertEquals(List.of(), cluster.unsoundStores());
    }
  }

  private void moveAndKill(DaemonCluster cluster, Victim victim) throws Exception {
    int primary = awaitPair(cluster);
    int target = other(primary, random.nextInt(MANAGERS - 1));
    CompletableFuture<WeftCli.Result> move =
        CompletableFuture.supplyAsync(
            () -> cluster.cli().tryRun("volume", "move", "/", "manager-" + target));
    somewhat();
    DaemonProcess killed =
        switch (victim) {
          case PRIMARY -> cluster.manager(primary);
          case TARGET -> cluster.manager(target);
          case SYSMGR -> cluster.sysmgr();
        };
    DaemonCluster.kill(killed);
    if (random.nextBoolean()) {
      somewhat();
    }
    killed.start();
    WeftCli.Result result = move.get(2 * DEADLINE_SECONDS, TimeUnit.SECONDS);
    // A target that was down for long enough is given up, and the reason is told.
    assertTrue(
        result.exitCode() == 0 || result.output().contains("manager-" + target), result::output);
    int now = awaitPair(cluster);
    if (result.exitCode() == 0 && victim == Victim.SYSMGR) {
      assertEquals(target, now, result.output());
    }
  }

  private static int other(int than, int turn) {
    return (than + turn) % MANAGERS + 1;
  }

  private void somewhat() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(MAX_DELAY_MILLIS)));
  }

  @Test
  void aManagerIsDrainedAndRemovedThoughDaemonsDieInTheMidst() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, MANAGERS)) {
      int drained = awaitPair(cluster);
      String name = "manager-" + drained;
      DaemonProcess process = cluster.manager(drained);
      try (PairLoad load = PairLoad.start(cluster)) {
        load.awaitProgress();
        // Its process dies in the midst: a backup takes over, or it starts again and is drained.
        CompletableFuture<WeftCli.Result> drain =
            CompletableFuture.supplyAsync(() -> cluster.cli().tryRun("manager", "drain", name));
        somewhat();
        DaemonCluster.kill(process);
        somewhat();
        process.start();
        WeftCli.Result result = drain.get(2 * DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertEquals(0, result.exitCode(), result::output);
        assertTrue(cluster.cli().run("status").contains(name + ", 0 volumes"));
        load.awaitProgress();
        System.out.printf("hand-over: drain, longest stall %d ms%n", load.stallMillis());

        // It may be the backup still: the command waits until the primary has left it.
        process.stop();
        CompletableFuture<WeftCli.Result> removal =
            CompletableFuture.supplyAsync(() -> remove(cluster, name));
        somewhat();
        DaemonProcess sysmgr = cluster.sysmgr();
        DaemonCluster.kill(sysmgr);
        sysmgr.start();
        result = removal.get(2 * DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertEquals(0, result.exitCode(), result::output);
        cluster.status().awaitPairWithout(DEADLINE_SECONDS, drained);
        load.awaitProgress();
        System.out.printf("hand-over: removal, longest stall %d ms%n", load.stallMillis());

        assertRefused(process);
        int primary = awaitPair(cluster);
        assertNotEquals(drained, primary);
        DaemonProcess last = cluster.manager(primary);
        DaemonCluster.kill(last);
        load.awaitProgress();
        last.start();
        load.verify();
      }
      cluster.stop();
      assertEquals(List.of(), cluster.unsoundStores());
    }
  }

  /** Again and again until SysMgr has called it down: the command refuses a manager that is up. */
  private static WeftCli.Result remove(DaemonCluster cluster, String name) {
    WeftCli.Result[] last = new WeftCli.Result[1];
    try {
      Await.until(
          DEADLINE_SECONDS,
          () -> name + " is not removed: " + last[0].output(),
          () -> {
            last[0] = cluster.cli().tryRun("manager", "remove", name);
            return last[0].exitCode() == 0;
          });
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return last[0];
  }

  /** Its process ends by itself, and says why. */
  private static void assertRefused(DaemonProcess removed) throws Exception {
    ProcessHandle process = removed.start();
    process.onExit().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertTrue(removed.lastOutput().contains("removed"), removed.lastOutput());
  }

  private static int awaitPair(DaemonCluster cluster) throws Exception {
    return cluster.status().awaitPair(DEADLINE_SECONDS);
  }
}
