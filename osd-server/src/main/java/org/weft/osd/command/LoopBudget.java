package org.weft.osd.command;

import org.weft.protocol.seam.Ticker;

/**
 * Bounds how much of their time event loops lose to a disk that makes writers wait. After a command
 * that took long, no loop begins another until that time is a twentieth of the time since. What
 * takes long is far beyond what a command costs, and beyond what a busy machine's scheduler takes
 * from a thread. Thread-safe.
 */
final class LoopBudget {
  private static final long LONG_NANOS = 20_000_000;
  private static final long SHARE = 20;

  private final Ticker ticker;
  private volatile long restsUntilNanos;

  LoopBudget(Ticker ticker) {
    this.ticker = ticker;
    this.restsUntilNanos = ticker.nowNanos();
  }

  /** True if a command may be begun on an event loop. */
  boolean isLeft(long nowNanos) {
    return nowNanos - restsUntilNanos >= 0;
  }

  /** A command was begun on an event loop at that time, and its loop goes on now. */
  void spent(long sinceNanos) {
    long now = ticker.nowNanos();
    long took = now - sinceNanos;
    if (took >= LONG_NANOS) {
      restsUntilNanos = now + SHARE * took;
    }
  }
}
