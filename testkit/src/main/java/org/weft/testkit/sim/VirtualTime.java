package org.weft.testkit.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Time that passes only while a test runs what is due; everything happens in the test's thread.
 * Tasks of a pool, and tasks of different executors, run in an order drawn from the seed. Not
 * thread-safe.
 */
public final class VirtualTime implements Scheduler, Ticker, Clock {
  private static final long STEP_LIMIT = 50_000_000;
  private static final long MAX_WAIT_FOR_THREAD_NANOS = 20_000;
  private static final long WALL_CLOCK_START_MILLIS = 1_750_000_000_000L;

  /** So many cancelled tasks may lie between others before they are looked for. */
  private static final int MAX_CANCELLED = 64;

  /** Something to do, unless it is cancelled before. */
  private final class Due implements Timer, Comparable<Due> {
    private final long atNanos;
    private final long order;
    private Runnable task;

    Due(long atNanos, long order, Runnable task) {
      this.atNanos = atNanos;
      this.order = order;
      this.task = task;
    }

    @Override
    public void cancel() {
      if (task != null) {
        task = null;
        cancelled++;
        sweep();
      }
    }

    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final RandomGenerator random;
  private final PriorityQueue<Due> due = new PriorityQueue<>();
  private int cancelled;
  private long nowNanos = 1;
  private long steps;
  private Runnable afterEachStep = () -> {};

  public VirtualTime(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Runs after every step: the place for invariants. */
  public void checkAfterEachStep(Runnable check) {
    afterEachStep = check;
  }

  @Override
  public long nowNanos() {
    return nowNanos;
  }

  @Override
  public long nowMillis() {
    return WALL_CLOCK_START_MILLIS + TimeUnit.NANOSECONDS.toMillis(nowNanos);
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    return new Delayed(delayNanos, executor, task);
  }

  /** A task that waits for its time, and then for its executor. */
  private final class Delayed implements Timer, Runnable {
    private final Timer timer;
    private Runnable task;

    Delayed(long delayNanos, Executor executor, Runnable task) {
      this.task = task;
      this.timer = after(delayNanos, () -> executor.execute(this));
    }

    @Override
    public void run() {
      if (task != null) {
        task.run();
      }
    }

    @Override
    public void cancel() {
      task = null;
      timer.cancel();
    }
  }

  /** Runs the task once that much time has passed. */
  public Timer after(long delayNanos, Runnable task) {
    Due added = new Due(nowNanos + Math.max(0, delayNanos), random.nextLong(), task);
    due.add(added);
    return added;
  }

  /** Most timers are cancelled long before their time: they would be most of the queue. */
  private void sweep() {
    if (cancelled > MAX_CANCELLED && cancelled > due.size() / 2) {
      due.removeIf(each -> each.task == null);
      cancelled = 0;
    }
  }

  /** True if the caller of a brief task runs it, where that can be: some do and some are late. */
  boolean lendsThread() {
    return random.nextBoolean();
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return new VirtualSerial(this, Runnable::run, () -> 0);
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return new VirtualPool(this, name, threads + (long) queueLimit, Runnable::run, () -> 0);
  }

  /**
   * Runs until the condition holds. Fails if nothing is left to do before it does: in a live
   * program that is a hang.
   */
  public void runUntil(String what, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Due next = due.poll();
      if (next == null) {
        throw new AssertionError("nothing left to do, still waiting until " + what);
      }
      Runnable task = next.task;
      if (task == null) {
        cancelled--;
        continue;
      }
      next.task = null;
      if (++steps > STEP_LIMIT) {
        throw new AssertionError(STEP_LIMIT + " steps, still waiting until " + what);
      }
      nowNanos = Math.max(nowNanos, next.atNanos);
      task.run();
      afterEachStep.run();
    }
  }

  /** Runs until the future is done, and gives its value or throws what it failed with. */
  public <T> T await(CompletableFuture<T> future) {
    runUntil("a future is done", future::isDone);
    return future.join();
  }

  /** Lets that much time pass, running what falls due. */
  public void pass(long nanos) {
    boolean[] over = new boolean[1];
    after(nanos, () -> over[0] = true);
    runUntil("time has passed", () -> over[0]);
  }

  /** How many tasks have run. */
  public long steps() {
    return steps;
  }

  /** How long a task waits for its thread this time. */
  long waitForThreadNanos() {
    return random.nextLong(MAX_WAIT_FOR_THREAD_NANOS);
  }
}
