package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/**
 * A pair of managers in processes of their own (P 6.1, 6.2). The primary is killed, and the next
 * one is frozen and continues later. What was acknowledged is there at once and afterwards, and
 * nothing older is ever shown. How long clients waited is printed.
 */
class PairKillTest {
  private static final int OSDS = 4;
  private static final int DEADLINE_SECONDS = 120;

  @TempDir Path scratch;

  @Test
  void pairStaysCurrentWhenItsPrimaryDiesOrFreezes() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 2)) {
      int first = awaitPair(cluster);
      try (PairLoad load = PairLoad.start(cluster)) {
        load.awaitProgress();
        DaemonCluster.kill(cluster.manager(first));
        load.awaitProgress();
        System.out.printf("pair: after kill -9 the longest stall was %d ms%n", load.stallMillis());
        cluster.manager(first).start();
        int second = awaitPair(cluster);
        assertEquals(3 - first, second, "the other manager serves");
        ProcessHandle frozen = cluster.manager(second).process().orElseThrow();
        Signals.freeze(frozen);
        load.awaitProgress();
        System.out.printf("pair: after SIGSTOP the longest stall was %d ms%n", load.stallMillis());
        Signals.thaw(frozen);
        load.awaitProgress();
        assertEquals(first, awaitPair(cluster), "the frozen one is the backup now");
        load.verify();
      }
      cluster.stop();
      assertEquals(List.of(), cluster.unsoundStores());
    }
  }

  /** No client writes: no record misses the backup's answer. */
  @Test
  @Tag("long")
  void killedBackupOfAQuietVolumeIsReplacedAndRemovable() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 3)) {
      awaitPair(cluster);
      int backup = cluster.status().backup();
      DaemonCluster.kill(cluster.manager(backup));
      cluster.status().awaitPairWithout(DEADLINE_SECONDS, backup);
      WeftCli weft = new WeftCli(cluster.port());
      Await.until(
          DEADLINE_SECONDS,
          () -> "manager-" + backup + " is not removed: " + weft.run("status"),
          () -> weft.tryRun("manager", "remove", "manager-" + backup).exitCode() == 0);
    }
  }

  private static int awaitPair(DaemonCluster cluster) throws Exception {
    return cluster.status().awaitPair(DEADLINE_SECONDS);
  }
}
