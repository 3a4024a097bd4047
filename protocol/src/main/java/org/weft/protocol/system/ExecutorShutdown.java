package org.weft.protocol.system;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the tasks of an executor have ended, for a minute at most. It logs every ten seconds
 * that it waits.
 */
final class ExecutorShutdown {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorShutdown.class);
  private static final long WARN_SECONDS = 10;
  private static final int GIVE_UP_ROUNDS = 6;

  /** Waits at most so long. */
  @FunctionalInterface
  interface Wait {
    /** True if it has ended. */
    boolean endsWithin(long nanos) throws InterruptedException;
  }

  private ExecutorShutdown() {}

  /** Returns when it has ended, after a minute, or interrupted. */
  static void await(String name, Wait wait) {
    try {
      for (int round = 1; round <= GIVE_UP_ROUNDS; round++) {
        if (wait.endsWithin(TimeUnit.SECONDS.toNanos(WARN_SECONDS))) {
          return;
        }
        LOG.warn("{} still runs after {} s of waiting for its end", name, round * WARN_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is told by notifying the monitor, which guards it. */
  static Wait by(Object monitor, BooleanSupplier ended) {
    return nanos -> {
      synchronized (monitor) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos;
            !ended.getAsBoolean() && left > 0;
            left = until - System.nanoTime()) {
          TimeUnit.NANOSECONDS.timedWait(monitor, left);
        }
        return ended.getAsBoolean();
      }
    };
  }
}
