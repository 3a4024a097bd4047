package org.weft.it.process;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for conditions of other processes, which cannot notify anybody. */
public final class Await {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Await() {}

  /**
   * Looks again and again until it holds.
   *
   * @param otherwise what to say when the time is over
   */
  public static void until(long seconds, Supplier<String> otherwise, Callable<Boolean> holds)
      throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!holds.call()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new AssertionError("not within " + seconds + " s: " + otherwise.get());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
