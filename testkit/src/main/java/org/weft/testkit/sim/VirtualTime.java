package org.weft.testkit.sim;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
  private static final long LONGEST_WAIT_FOR_THREAD_NANOS = 20_000;
  private static final long WALL_CLOCK_START_MILLIS = 1_750_000_000_000L;

  private record Due(long atNanos, long order, Runnable task) {}

  private final RandomGenerator random;
  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparingLong(Due::atNanos).thenComparingLong(Due::order));
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
    boolean[] cancelled = new boolean[1];
    after(
        delayNanos,
        () ->
            executor.execute(
                () -> {
                  if (!cancelled[0]) {
                    task.run();
                  }
                }));
    return () -> cancelled[0] = true;
  }

  /** Runs the task once that much time has passed. */
  public void after(long delayNanos, Runnable task) {
    due.add(new Due(nowNanos + Math.max(0, delayNanos), random.nextLong(), task));
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return new SerialExecutor();
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return new Pool(name, threads + (long) queueLimit);
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
      if (++steps > STEP_LIMIT) {
        throw new AssertionError(STEP_LIMIT + " steps, still waiting until " + what);
      }
      nowNanos = Math.max(nowNanos, next.atNanos);
      next.task.run();
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

  private long waitForThreadNanos() {
    return random.nextLong(LONGEST_WAIT_FOR_THREAD_NANOS);
  }

  /** One task after another, in the order given. */
  private final class SerialExecutor implements OwnedExecutor {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean closed;

    @Override
    public void execute(Runnable command) {
      if (closed) {
        throw new RejectedExecutionException("the executor has ended");
      }
      waiting.add(command);
      if (waiting.size() == 1) {
        after(waitForThreadNanos(), this::runFirst);
      }
    }

    private void runFirst() {
      try {
        waiting.element().run();
      } finally {
        waiting.remove();
        if (!waiting.isEmpty()) {
          after(waitForThreadNanos(), this::runFirst);
        }
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Tasks in any order. */
  private final class Pool implements OwnedExecutor {
    private final String name;
    private final long limit;
    private long waiting;
    private boolean closed;

    Pool(String name, long limit) {
      this.name = name;
      this.limit = limit;
    }

    @Override
    public void execute(Runnable command) {
      if (closed || waiting >= limit) {
        throw new RejectedExecutionException(name + (closed ? " has ended" : " is overloaded"));
      }
      waiting++;
      after(
          waitForThreadNanos(),
          () -> {
            waiting--;
            command.run();
          });
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
