package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.hadoop.WeftHadoopFileSystem;
import org.weft.hadoop.config.ConnectorKey;
import org.weft.nfs.cluster.ComparedTree;
import org.weft.nfs.cluster.RandomProcedures;
import org.weft.nfs.cluster.TestCluster;
import org.weft.nfs.daemon.NfsDaemon;

/**
 * Three users work on one tree, through two gateways and by Hadoop's {@code FileSystem}, with all
 * procedures and calls in random order. Each side sees what the other closed or committed, as the
 * model has it; what a reply tells of the state before and behind a change is what all were told of
 * that state. Of Hadoop's clients some rely on what the manager granted them, and some ask always.
 */
class HadoopBesideGatewaysTest {
  private static final int SEEDS = Integer.getInteger("weft.nfs.seeds", 2);
  private static final int FIRST_SEED = Integer.getInteger("weft.nfs.seed", 1);
  private static final int STEPS = Integer.getInteger("weft.nfs.steps", 700);

  /** create, append, open, rename, replace, delete, mkdirs, listStatus, getFileStatus ... */
  private static final int CALLS = 15;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon one;
  private static NfsDaemon two;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    one = cluster.gateway();
    two = cluster.gateway();
  }

  @AfterAll
  static void stop() throws Exception {
    one.close();
    two.close();
    cluster.close();
  }

  private static WeftHadoopFileSystem system(String user, String group, boolean caches)
      throws Exception {
    Configuration conf = new Configuration();
    conf.set("fs.permissions.umask-mode", "000");
    conf.set("fs.weft.impl", WeftHadoopFileSystem.class.getName());
    conf.set(ConnectorKey.CACHED_ENTRIES.key(), caches ? "1000" : "0");
    UserGroupInformation caller =
        UserGroupInformation.createUserForTesting(user, new String[] {group});
    return caller.doAs(
        (PrivilegedExceptionAction<WeftHadoopFileSystem>)
            () ->
                (WeftHadoopFileSystem)
                    FileSystem.newInstance(URI.create("weft://" + cluster.sysmgr()), conf));
  }

  @Test
  void eachSideSeesWhatTheOtherClosedOrCommitted() throws Exception {
    Map<String, int[]> done = new TreeMap<>();
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      ComparedTree tree = new ComparedTree(cluster, List.of(one, two), "/hadoop-" + seed, seed);
      run(tree, seed);
      assertTrue(tree.compared() > STEPS / 2, "states are told again: " + tree.compared());
      tree.done()
          .forEach(
              (what, count) -> {
                int[] all = done.computeIfAbsent(what, name -> new int[2]);
                all[0] += count[0];
                all[1] += count[1];
              });
    }
    done.forEach(
        (what, count) -> assertTrue(count[0] > 0 && count[1] > 0, what + Arrays.toString(count)));
    assertEquals(
        RandomProcedures.PROCEDURES + CALLS,
        done.size(),
        () -> "what succeeds and fails: " + done.keySet());
  }

  private static void run(ComparedTree tree, int seed) throws Exception {
    Map<String, WeftHadoopFileSystem> systems = new HashMap<>();
    try {
      systems.put("root", system("root", "supergroup", seed % 2 == 0));
      systems.put("1000", system("1000", "100", true));
      systems.put("1001", system("1001", "101", false));
      RandomProcedures procedures = new RandomProcedures(tree);
      RandomHadoopCalls calls = new RandomHadoopCalls(tree, procedures, systems);
      RandomHadoopCalls.assertNoConcat(systems.get("root"));
      for (int step = 0; step < STEPS; step++) {
        try {
          if (tree.random().nextBoolean()) {
            procedures.step();
          } else {
            calls.step();
          }
        } catch (AssertionError | Exception e) {
          throw new AssertionError("seed " + seed + ", step " + step + ": " + e.getMessage(), e);
        }
      }
      tree.sameEverywhere();
    } finally {
      for (FileSystem each : systems.values()) {
        each.close();
      }
    }
  }
}
