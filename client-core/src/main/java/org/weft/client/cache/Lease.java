package org.weft.client.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Until when a session is sure of what its manager keeps for it (P 6.5), by its own monotonic
 * clock. The time counts from when a renewal was sent that was answered. Renewed on the home
 * executor, asked by any thread.
 */
public final class Lease {
  private final LongSupplier nowNanos;
  private final AtomicLong endNanos;

  /** Before it is renewed it is over. */
  public Lease(LongSupplier nowNanos) {
    this.nowNanos = nowNanos;
    this.endNanos = new AtomicLong(nowNanos.getAsLong());
  }

  /** It is not over. */
  public boolean holds() {
    return endNanos.get() - nowNanos.getAsLong() > 0;
  }

  /** A renewal that was sent then has been answered; an earlier one changes nothing. */
  public void renewed(long sentNanos, long leaseNanos) {
    long end = sentNanos + leaseNanos;
    if (end - endNanos.get() > 0) {
      endNanos.set(end);
    }
  }

  /** It is over, whatever is answered later. */
  public void end() {
    endNanos.set(nowNanos.getAsLong());
  }
}
