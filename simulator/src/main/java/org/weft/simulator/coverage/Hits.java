package org.weft.simulator.coverage;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters that counted classes reach by a static call. The process has one table: a run that
 * counts begins with {@link #begin}. Thread-safe.
 */
public final class Hits {
  private static final int MAX_ROWS = 1_000;
  private static final AtomicLongArray COUNTS = new AtomicLongArray(MAX_ROWS);

  private Hits() {}

  /** The statement of that row is carried out. */
  public static void hit(int row) {
    COUNTS.incrementAndGet(row);
  }

  static void begin() {
    for (int row = 0; row < MAX_ROWS; row++) {
      COUNTS.set(row, 0);
    }
  }

  static long of(int row) {
    return COUNTS.get(row);
  }
}
