package org.weft.nfs.weft;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.protocol.seam.Ticker;

/**
 * When bytes were last lost that had been answered. For a while after that, writes are stable. The
 * client that writes then learns of a further failure at once, and not anew at each commit.
 * Thread-safe.
 */
final class RecentLosses {
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Ticker ticker;
  private final AtomicLong known = new AtomicLong();
  private volatile long lastNanos;
  private volatile boolean any;

  RecentLosses(Ticker ticker) {
    this.ticker = ticker;
  }

  /** There have been so many now. */
  long seen(long losses) {
    long before = known.getAndAccumulate(losses, Math::max);
    if (losses > before) {
      lastNanos = ticker.nowNanos();
      any = true;
    }
    return losses;
  }

  boolean areRecent() {
    return any && ticker.nowNanos() - lastNanos < RECENT_NANOS;
  }
}
