package org.weft.it.stall;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One operation after another, and how long each took. The longest one that was under way after a
 * moment is the stall.
 */
final class Load implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 120;

  private record Done(long begunNanos, long endedNanos, long endedMillis) {}

  /** Begins the operation of that number. */
  @FunctionalInterface
  interface Operation {
    CompletableFuture<?> begin(long number);
  }

  private final Operation operation;
  private final Thread thread;
  private final AtomicLong made = new AtomicLong();
  private final List<Done> slow = new ArrayList<>();
  private volatile boolean over;
  private volatile Throwable failure;

  Load(String name, Operation operation) {
    this.operation = operation;
    this.thread = new Thread(this::work, name);
    thread.start();
  }

  private void work() {
    try {
      while (!over) {
        long begunNanos = System.nanoTime();
        operation.begin(made.get()).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        long endedNanos = System.nanoTime();
        synchronized (this) {
          slow.add(new Done(begunNanos, endedNanos, System.currentTimeMillis()));
        }
        made.incrementAndGet();
      }
    } catch (Exception | Error e) {
      failure = e;
    }
  }

  long made() {
    if (failure != null) {
      throw new IllegalStateException(
          thread.getName() + " has failed after " + made + " operations", failure);
    }
    return made.get();
  }

  /**
   * The longest operation that ended since.
   *
   * @param millis how long it took
   * @param endedMillis when it ended, on the wall clock
   */
  record Stall(long millis, long endedMillis) {}

  /** Forgets what was before. */
  synchronized Stall longestSince(long nanos) {
    Stall longest = new Stall(0, 0);
    for (Done each : slow) {
      long millis = TimeUnit.NANOSECONDS.toMillis(each.endedNanos() - each.begunNanos());
      if (each.endedNanos() > nanos && millis >= longest.millis()) {
        longest = new Stall(millis, each.endedMillis());
      }
    }
    slow.clear();
    return longest;
  }

  @Override
  public void close() throws InterruptedException {
    over = true;
    thread.join(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
  }
}
