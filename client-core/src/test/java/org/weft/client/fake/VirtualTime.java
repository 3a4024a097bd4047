package org.weft.client.fake;

import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** Time that passes only while a test runs what is due; everything happens in the test's thread. */
public final class VirtualTime implements Scheduler, Ticker, Clock {
  private static final int STEP_LIMIT = 5_000_000;

  private final PriorityQueue<Task> due =
      new PriorityQueue<>(
          (a, b) ->
              a.atNanos != b.atNanos
                  ? Long.compare(a.atNanos, b.atNanos)
                  : Long.compare(a.number, b.number));
  private long nowNanos = 1_000;
  private long taskCount;

  private static final class Task {
    private final long atNanos;
    private final long number;
    private final Runnable run;
    private boolean cancelled;

    private Task(long atNanos, long number, Runnable run) {
      this.atNanos = atNanos;
      this.number = number;
      this.run = run;
    }
  }

  @Override
  public long nowNanos() {
    return nowNanos;
  }

  @Override
  public long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos);
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    Task added = add(delayNanos, () -> executor.execute(task));
    return () -> added.cancelled = true;
  }

  /** Runs the task after the delay. */
  public void after(long delayMillis, Runnable task) {
    var unused = add(TimeUnit.MILLISECONDS.toNanos(delayMillis), task);
  }

  private Task add(long delayNanos, Runnable run) {
    Task task = new Task(nowNanos + Math.max(0, delayNanos), taskCount++, run);
    due.add(task);
    return task;
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return new OwnedExecutor() {
      @Override
      public void execute(Runnable command) {
        var unused = add(0, command);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return newSerialExecutor(name);
  }

  /** Runs what is due until the condition holds; false if that takes longer than this. */
  public boolean runUntil(BooleanSupplier condition, long limitMillis) {
    long endNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    for (int step = 0; step < STEP_LIMIT; step++) {
      if (condition.getAsBoolean()) {
        return true;
      }
      Task next = due.peek();
      if (next == null || next.atNanos > endNanos) {
        nowNanos = endNanos;
        return condition.getAsBoolean();
      }
      due.poll();
      nowNanos = Math.max(nowNanos, next.atNanos);
      if (!next.cancelled) {
        next.run.run();
      }
    }
    throw new AssertionError("no end after " + STEP_LIMIT + " steps");
  }

  /** Lets this much time pass. */
  public void pass(long millis) {
    runUntil(() -> false, millis);
  }

  /** Runs until the future is done and gives it back; fails the test if it takes more than an hour. */
  public <T> CompletableFuture<T> finish(CompletableFuture<T> future) {
    if (!runUntil(future::isDone, TimeUnit.HOURS.toMillis(1))) {
      throw new AssertionError("still not done after an hour");
    }
    return future;
  }
}
