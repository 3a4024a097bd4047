package org.weft.client.stripe.hedge;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how much may be read in addition to what was asked for. It is a share of all that is read,
 * so that a cluster that is slow as a whole is not asked twice for everything. Thread-safe.
 */
final class HedgeBudget {
  /** A request costs as much as so many bytes more. */
  static final int REQUEST_BYTES = 16 << 10;

  private static final long MAX_BYTES = 16 << 20;
  private static final long FIRST_BYTES = 4 << 20;

  private final int percent;
  private final AtomicLong bytes;

  HedgeBudget(int percent) {
    this.percent = percent;
    this.bytes = new AtomicLong(percent == 0 ? 0 : FIRST_BYTES);
  }

  static long cost(long requests, long lengthBytes) {
    return requests * REQUEST_BYTES + lengthBytes;
  }

  /** Something was asked for. */
  void earn(long cost) {
    if (bytes.get() < MAX_BYTES) {
      bytes.addAndGet(cost * percent / 100);
    }
  }

  /** True, and paid, if there is enough. */
  boolean spend(long cost) {
    while (true) {
      long left = bytes.get();
      if (left < cost) {
        return false;
      }
      if (bytes.compareAndSet(left, left - cost)) {
        return true;
      }
    }
  }
}
