package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/** Quotas as an operator sets and sees them, on real daemons whose manager is killed. */
@Tag("long")
class QuotaClusterTest {
  private static final int OSDS = 6;
  private static final int NO_SPACE = 8;
  private static final int MIB = 1 << 20;

  @TempDir Path scratch;

  @Test
  void treeUsageIsExactAfterAKillOfTheManager() throws Exception {
    Path large = Files.write(scratch.resolve("large"), new byte[3 * MIB]);
    Path small = Files.write(scratch.resolve("small"), new byte[MIB]);
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS)) {
      WeftCli weft = cluster.cli();
      weft.run("fs", "mkdir", "-p", "/projects/a/in");
      weft.run("fs", "put", large.toString(), "/projects/a/in/one");
      weft.run("fs", "put", small.toString(), "/projects/b");
      weft.run(
          "quota", "set", "/projects/a", "--bytes", "5m", "--files", "10", "--soft-bytes", "2m");
      assertUsed(weft, 3 * MIB, 3);
      Await.until(
          60,
          () -> "the tree is counted, and its soft limit is told",
          () -> weft.run("quota", "list").contains("soft limit exceeded since"));
      WeftCli.Result refused = weft.tryRun("fs", "put", large.toString(), "/projects/a/two");
      assertEquals(NO_SPACE, refused.exitCode(), refused.output());
      assertTrue(refused.output().contains("/projects/a"), refused.output());
      weft.tryRun("fs", "rm", "/projects/a/two");
      DaemonCluster.killAndRestart(cluster.manager());
      Await.until(
          60,
          () -> "the manager serves",
          () -> weft.tryRun("fs", "ls", "/projects").exitCode() == 0);
      weft.run("fs", "mv", "/projects/b", "/projects/a/b");
      assertUsed(weft, 4 * MIB, 4);
      assertEquals(
          NO_SPACE, weft.tryRun("fs", "put", large.toString(), "/projects/a/two").exitCode());
      weft.tryRun("fs", "rm", "/projects/a/two");
      DaemonCluster.killAndRestart(cluster.manager());
      Await.until(
          60,
          () -> "the manager serves",
          () -> weft.tryRun("fs", "ls", "/projects").exitCode() == 0);
      weft.run("fs", "rm", "/projects/a/in/one");
      assertUsed(weft, MIB, 3);
      weft.run("fs", "put", large.toString(), "/projects/a/two");
      assertUsed(weft, 4 * MIB, 4);
      weft.run("quota", "clear", "/projects/a");
      weft.run("fs", "put", large.toString(), "/projects/a/three");
      assertUsed(weft, 7 * MIB, 5);
    }
  }

  /** What was promised to clients that are gone is promised no more. */
  private static void assertUsed(WeftCli weft, long bytes, int files) throws Exception {
    String wanted = "\"usedBytes\":" + bytes + ",\"usedFiles\":" + files + ",\"reservedBytes\":0";
    Await.until(
        60,
        () -> wanted,
        () ->
            weft.run("quota", "show", "/projects/a", "--json")
                .lines()
                .anyMatch(line -> line.contains("\"/projects/a\"") && line.contains(wanted)));
  }
}
