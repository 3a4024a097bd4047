package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;
import org.weft.it.process.WeftCli;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.process.Signals;

/**
 * A pair of managers in processes of their own (P 6.1, 6.2): the primary is killed, and the next
 * one is frozen and goes on later. What was acknowledged is there at once and afterwards, and
 * nothing older is ever shown. How long clients waited is printed.
 */
class PairKillTest {
  private static final int OSDS = 4;
  private static final int DEADLINE_SECONDS = 120;
  private static final long SOME_OPERATIONS = 30;
  private static final WeftPath DIRECTORY = WeftPath.of("/tmp/pair");

  @TempDir Path scratch;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong made = new AtomicLong();
  private final AtomicLong shown = new AtomicLong();
  private final AtomicLong longestStallNanos = new AtomicLong();

  @Test
  void aPairLosesNothingAndShowsNothingOldWhenItsPrimaryDiesOrFreezes() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 2);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient maker = DaemonCluster.connect(cluster.port(), "maker", system, callbacks);
        WeftClient looker = DaemonCluster.connect(cluster.port(), "looker", system, callbacks)) {
      int first = awaitPair(cluster);
      maker.files().mkdir(DIRECTORY, 0755);
      WeftPath written = WeftPath.of("/tmp/written");
      maker.files().mkdir(written, 0755);
      FileWorkload writer = new FileWorkload(maker.files(), written, 1);
      List<CompletableFuture<Void>> all = new ArrayList<>();
      all.add(inThread(() -> make(maker)));
      all.add(inThread(() -> look(looker)));
      all.add(inThread(writer::step));
      try {
        awaitProgress(all);
        DaemonCluster.kill(cluster.manager(first));
        awaitProgress(all);
        System.out.printf("pair: after kill -9 the longest stall was %d ms%n", stallMillis());
        cluster.manager(first).start();
        int second = awaitPair(cluster);
        assertEquals(3 - first, second, "the other manager serves");
        ProcessHandle frozen = cluster.manager(second).process().orElseThrow();
        Signals.freeze(frozen);
        awaitProgress(all);
        System.out.printf("pair: after SIGSTOP the longest stall was %d ms%n", stallMillis());
        Signals.thaw(frozen);
        awaitProgress(all);
        assertEquals(first, awaitPair(cluster), "the frozen one is the backup now");
      } finally {
        over.set(true);
      }
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
          .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      for (long number = 1; number <= made.get(); number++) {
        assertTrue(looker.files().find(name(number)).isPresent(), "directory " + number);
      }
      assertTrue(writer.verify() > 0);
      cluster.stop();
      assertEquals(List.of(), cluster.unsoundStores());
    }
  }

  /** No client writes: no record misses the backup's answer. */
  @Test
  void aBackupThatIsKilledBesideAQuietVolumeIsReplacedAndCanBeRemoved() throws Exception {
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

  private long stallMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestStallNanos.getAndSet(0));
  }

  private interface Step {
    void run() throws IOException;
  }

  private CompletableFuture<Void> inThread(Step step) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                while (!over.get()) {
                  step.run();
                }
                ended.complete(null);
              } catch (Throwable e) {
                ended.completeExceptionally(e);
              }
            })
        .start();
    return ended;
  }

  private static WeftPath name(long number) {
    return DIRECTORY.child("d" + number);
  }

  private void make(WeftClient client) throws IOException {
    long beganNanos = System.nanoTime();
    client.files().mkdir(name(made.get() + 1), 0755);
    made.incrementAndGet();
    longestStallNanos.accumulateAndGet(System.nanoTime() - beganNanos, Math::max);
  }

  /** What was acknowledged before the question is in its answer. */
  private void look(WeftClient client) throws IOException {
    long number = made.get();
    if (number > 0 && client.files().find(name(number)).isEmpty()) {
      throw new AssertionError("directory " + number + " was made and is not shown");
    }
    shown.incrementAndGet();
  }

  private void awaitProgress(List<CompletableFuture<Void>> all) throws Exception {
    long madeTarget = made.get() + SOME_OPERATIONS;
    long shownTarget = shown.get() + SOME_OPERATIONS;
    Await.until(
        DEADLINE_SECONDS,
        () -> "no progress: " + made + " made, " + shown + " looked at",
        () -> {
          for (CompletableFuture<Void> each : all) {
            if (each.isDone()) {
              each.get();
            }
          }
          return made.get() >= madeTarget && shown.get() >= shownTarget;
        });
  }

  private static int awaitPair(DaemonCluster cluster) throws Exception {
    return cluster.status().awaitPair(DEADLINE_SECONDS);
  }
}
