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
import org.weft.cli.quickstart.QuickstartState;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

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
    int rounds = Integer.getInteger("weft.kill.rounds", 6);
    long seed = Long.getLong("weft.kill.seed", 20_261_120L);
    int base = FreePorts.base(OSDS);
    Path data = scratch.resolve("data");
    try (WeftProcess quickstart =
        WeftProcess.start(
            scratch,
            "quickstart",
            "--processes",
            "--data",
            data.toString(),
            "--port-base",
            "" + base,
            "--capacity",
            "2g")) {
      quickstart.awaitLine(line -> line.contains("is ready"));
      long acknowledged = storm(data, base, rounds, seed);
      assertTrue(acknowledged > 0, "something was acknowledged");
      assertEquals(0, quickstart.stop(), quickstart.output());
    }
    for (int number = 1; number <= OSDS; number++) {
      try (WeftProcess check =
          WeftProcess.start(scratch, "osd", "check", data.resolve("osd-" + number).toString())) {
        assertEquals(0, check.awaitEnd(), check.output());
      }
    }
  }

  private long storm(Path data, int base, int rounds, long seed) throws Exception {
    QuickstartState state = QuickstartState.read(data).orElseThrow();
    Random random = new Random(seed);
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client =
            WeftClient.connect(
                    ClientOptions.builder(
                            List.of(new Endpoint("127.0.0.1", base)),
                            System.getProperty("user.name"),
                            callbacks)
                        .clientName("kill-test")
                        .build(),
                    system.environment())
                .get()) {
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
          victims.append(' ').append(killAndRestart(state, random));
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

  private static String killAndRestart(QuickstartState state, Random random) throws Exception {
    int victim = random.nextInt(OSDS + 3);
    DaemonProcess daemon =
        victim < OSDS
            ? DaemonProcess.osd(state, victim + 1)
            : victim < OSDS + 2 ? DaemonProcess.manager(state) : DaemonProcess.sysmgr(state);
    ProcessHandle process = daemon.process().orElseThrow();
    process.destroyForcibly();
    process.onExit().get();
    daemon.start();
    return daemon.name();
  }

  private static void awaitOperations(
      List<FileWorkload> workloads, List<CompletableFuture<Void>> writers) throws Exception {
    long target =
        workloads.stream().mapToLong(FileWorkload::acknowledged).sum() + OPERATIONS_BETWEEN_KILLS;
    long deadline = System.nanoTime() + DEADLINE_SECONDS * 1_000_000_000L;
    while (workloads.stream().mapToLong(FileWorkload::acknowledged).sum() < target) {
      for (CompletableFuture<Void> writer : writers) {
        if (writer.isDone()) {
          writer.get();
        }
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError("no progress for " + DEADLINE_SECONDS + " s after a kill");
      }
      Thread.onSpinWait();
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
  }
}
