package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.nfs.daemon.NfsDaemon;

/**
 * Random operations of all procedures by three users, through two gateways of a real cluster and
 * beside them on a model: status, attributes before and after, rights and content agree at each
 * step, through the other gateway, too.
 */
class AllProceduresTest {
  private static final int SEEDS = Integer.getInteger("weft.nfs.seeds", 2);
  private static final int FIRST_SEED = Integer.getInteger("weft.nfs.seed", 1);
  private static final int STEPS = 700;

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

  @Test
  void eachReplyIsTheModels() {
    Map<String, int[]> done = new TreeMap<>();
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      ComparedTree tree = new ComparedTree(cluster, List.of(one, two), "/procedures-" + seed, seed);
      RandomProcedures procedures = new RandomProcedures(tree);
      for (int step = 0; step < STEPS; step++) {
        try {
          procedures.step();
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", step " + step + ": " + e.getMessage(), e);
        }
      }
      tree.sameEverywhere();
      assertTrue(tree.compared() > STEPS, "states are told again: " + tree.compared());
      tree.done()
          .forEach(
              (procedure, count) -> {
                int[] all = done.computeIfAbsent(procedure, name -> new int[2]);
                all[0] += count[0];
                all[1] += count[1];
              });
    }
    done.forEach(
        (procedure, count) ->
            assertTrue(count[0] > 0 && count[1] > 0, procedure + ": " + Arrays.toString(count)));
    assertEquals(
        RandomProcedures.PROCEDURES,
        done.size(),
        () -> "procedures that succeed and fail: " + done.keySet());
  }
}
