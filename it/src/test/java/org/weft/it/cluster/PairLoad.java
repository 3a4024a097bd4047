package org.weft.it.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;

/**
 * Clients of the root volume, while its managers are killed. One makes directories one after
 * another, and one looks for the last one that was made. One writes, renames and removes files.
 * None may see an error of a directory, and what was acknowledged is there at once and in the end.
 */
final class PairLoad implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 120;
  private static final long SOME_OPERATIONS = 30;
  private static final WeftPath DIRECTORY = WeftPath.of("/tmp/pair");
  private static final WeftPath WRITTEN = WeftPath.of("/tmp/written");

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong made = new AtomicLong();
  private final AtomicLong shown = new AtomicLong();
  private final AtomicLong longestStallNanos = new AtomicLong();
  private final List<CompletableFuture<Void>> all = new ArrayList<>();
  private final SystemEnvironment system;
  private final OwnedExecutor callbacks;
  private final WeftClient maker;
  private final WeftClient looker;
  private FileWorkload writer;

  private PairLoad(int port) throws Exception {
    this.system = SystemEnvironment.create();
    this.callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
    this.maker = DaemonCluster.connect(port, "maker", system, callbacks);
    this.looker = DaemonCluster.connect(port, "looker", system, callbacks);
  }

  /** Clients of that cluster, which work until {@link #verify}. */
  static PairLoad start(DaemonCluster cluster) throws Exception {
    PairLoad load = new PairLoad(cluster.port());
    load.begin();
    return load;
  }

  private void begin() throws Exception {
    maker.files().mkdir(DIRECTORY, 0755);
    maker.files().mkdir(WRITTEN, 0755);
    writer = new FileWorkload(maker.files(), WRITTEN, 1);
    all.add(inThread(this::make));
    all.add(inThread(this::look));
    all.add(inThread(writer::step));
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

  private void make() throws IOException {
    long beganNanos = System.nanoTime();
    maker.files().mkdir(name(made.get() + 1), 0755);
    made.incrementAndGet();
    longestStallNanos.accumulateAndGet(System.nanoTime() - beganNanos, Math::max);
  }

  /** What was acknowledged before the question is in its answer. */
  private void look() throws IOException {
    long number = made.get();
    if (number > 0 && looker.files().find(name(number)).isEmpty()) {
      throw new AssertionError("directory " + number + " was made and is not shown");
    }
    shown.incrementAndGet();
  }

  /** The longest that one directory took since this was asked last. */
  long stallMillis() {
    return TimeUnit.NANOSECONDS.toMillis(longestStallNanos.getAndSet(0));
  }

  /** Until some more was acknowledged and looked at. */
  void awaitProgress() throws Exception {
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

  /** Ends the work, and looks for all that was acknowledged. */
  void verify() throws Exception {
    over.set(true);
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    for (long number = 1; number <= made.get(); number++) {
      if (looker.files().find(name(number)).isEmpty()) {
        throw new AssertionError("directory " + number + " of " + made + " is gone");
      }
    }
    if (writer.verify() == 0) {
      throw new AssertionError("no file was written");
    }
  }

  @Override
  public void close() throws Exception {
    over.set(true);
    maker.close();
    looker.close();
    callbacks.close();
    system.close();
  }
}
