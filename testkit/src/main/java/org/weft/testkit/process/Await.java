package org.weft.testkit.process;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions of other threads and processes, which cannot notify the one that waits. */
public final class Await {
  private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MAX_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Only a broken test reaches it. */
  private static final long DEADLINE_SECONDS = 90;

  private Await() {}

  /** What is waited for. */
  private interface Look<E extends Exception> {
    boolean holds() throws E;
  }

  /** Waits until something within this process holds, which takes no time to look at. */
  public static void that(BooleanSupplier holds) {
    until("the condition", holds);
  }

  /**
   * As {@link #that}.
   *
   * @param what was to hold, for the failure
   */
  public static void until(String what, BooleanSupplier holds) {
    look(DEADLINE_SECONDS, SOON_NANOS, () -> what, holds::getAsBoolean);
  }

  /**
   * Looks again and again until it holds. What takes long to look at is looked at seldom, so that
   * looking leaves the processors to those it waits for.
   *
   * @param otherwise what to say when the time is over
   */
  public static void until(long seconds, Supplier<String> otherwise, Callable<Boolean> holds)
      throws Exception {
    look(seconds, LOOK_NANOS, otherwise, holds::call);
  }

  private static <E extends Exception> void look(
      long seconds, long leastPauseNanos, Supplier<String> otherwise, Look<E> look) throws E {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long beganNanos = System.nanoTime(); !look.holds(); beganNanos = System.nanoTime()) {
      long nowNanos = System.nanoTime();
      if (nowNanos - deadlineNanos > 0) {
        throw new AssertionError("not within " + seconds + " s: " + otherwise.get());
      }
      LockSupport.parkNanos(
          Math.min(MAX_LOOK_NANOS, Math.max(leastPauseNanos, 2 * (nowNanos - beganNanos))));
    }
  }
}
