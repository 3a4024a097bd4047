package org.weft.protocol.seam;

/** Monotonic time, for deadlines and leases; its origin means nothing. */
@FunctionalInterface
public interface Ticker {
  /** Nanoseconds. */
  long nowNanos();
}
