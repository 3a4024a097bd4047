package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;

/**
 * Promise 1 of docs/protocols.md: what was acknowledged survives {@code kill -9} of any process.
 * Real daemons in processes of their own are killed at random under load; {@code
 * -Dweft.kill.rounds=N} says how often, {@code -Dweft.kill.seed=N} replays the choice of victims.
 */
class ClusterKillTest {
  private static final int OSDS = 6;
  private static final int WRITERS = 3;
  private static final long OPERATIONS_BETWEEN_KILLS = 12;
  private static final int DEADLINE_SECONDS = 180;

  @TempDir Path scratch;

  @Test
  void acknowledgedOperationsSurviveKillsOfAnyDaemon() throws Exception {
    int rounds = Integer.getInteger("weft.kill.rounds", 3);
    // Its first three rounds kill a manager, an OSD and SysMgr.
    long seed = Long.getLong("weft.kill.seed", 20_261_125L);
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS)) {
      long acknowledged = storm(cluster, rounds, seed);
      assertTrue(acknowledged > 0, "something was acknowledged");
      cluster.stop();
      assertEquals(List.of(), cluster.unsoundStores());
    }
  }

  private long storm(DaemonCluster cluster, int rounds, long seed) throws Exception {
    Random random = new Random(seed);
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(cluster.port(), "kill-test", system, callbacks)) {
      List<FileWorkload> workloads = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        WeftPath directory = WeftPath.of("/tmp/storm-" + i);
        client.files().mkdir(directory, 0755);
        workloads.add(new FileWorkload(client.files(), directory, seed + i));
      }
      AtomicBoolean done = new AtomicBoolean();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (FileWorkload workload : workloads) {
        writers.add(
            CompletableFuture.runAsync(
                () -> work(workload, done), task -> new Thread(task).start()));
      }
      StringBuilder victims = new StringBuilder();
      try {
        for (int round = 0; round < rounds; round++) {
          awaitOperations(workloads, writers);
          victims.append(' ').append(killAndRestart(cluster, random));
        }
        awaitOperations(workloads, writers);
      } finally {
        done.set(true);
      }
      CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new)).get();
      int files = 0;
      for (FileWorkload workload : workloads) {
        files += workload.verify();
      }
      long acknowledged = workloads.stream().mapToLong(FileWorkload::acknowledged).sum();
      long failed = workloads.stream().mapToLong(FileWorkload::failed).sum();
      System.out.printf(
          "kill test: %d kills (%s ), %d operations acknowledged, %d failed, %d files verified%n",
          rounds, victims, acknowledged, failed, files);
      return acknowledged;
    }
  }

  private static void work(FileWorkload workload, AtomicBoolean done) {
    while (!done.get()) {
      workload.step();
    }
  }

  private static String killAndRestart(DaemonCluster cluster, Random random) throws Exception {
    int victim = random.nextInt(OSDS + 3);
    DaemonProcess daemon =
        victim < OSDS
            ? cluster.osd(victim + 1)
            : victim < OSDS + 2 ? cluster.manager() : cluster.sysmgr();
    DaemonCluster.killAndRestart(daemon);
    return daemon.name();
  }

  private static void awaitOperations(
      List<FileWorkload> workloads, List<CompletableFuture<Void>> writers) throws Exception {
    long target =
        workloads.stream().mapToLong(FileWorkload::acknowledged).sum() + OPERATIONS_BETWEEN_KILLS;
    Await.until(
        DEADLINE_SECONDS,
        () -> "no progress after a kill",
        () -> {
          for (CompletableFuture<Void> writer : writers) {
            if (writer.isDone()) {
              writer.get();
            }
          }
          return workloads.stream().mapToLong(FileWorkload::acknowledged).sum() >= target;
        });
  }
}
