package org.weft.soak.process;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for conditions of other processes, which cannot notify anybody. */
public final class Await {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private Await() {}

  /**
   * Looks again and again until it holds. What takes long to look at is looked at seldom, so that
   * looking leaves the processors to those it waits for.
   *
   * @param otherwise what to say when the time is over
   */
  public static void until(long seconds, Supplier<String> otherwise, Callable<Boolean> holds)
      throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long beganNanos = System.nanoTime(); !holds.call(); beganNanos = System.nanoTime()) {
      long nowNanos = System.nanoTime();
      if (nowNanos - deadlineNanos > 0) {
        throw new AssertionError("not within " + seconds + " s: " + otherwise.get());
      }
      LockSupport.parkNanos(
          Math.min(MOST_NANOS, Math.max(LOOK_NANOS, 2 * (nowNanos - beganNanos))));
    }
  }
}
