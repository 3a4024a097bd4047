package org.weft.osd.scrub;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a scrubber reads how much. A pass takes its period, or less where there is little to
 * read. A step is due after three quarters of its time; the rest it may wait for clients to pause.
 *
 * @param periodMillis how long a pass may take
 */
record ScrubPace(long periodMillis) {
  private static final long MAX_STEP_BYTES = 1 << 20;
  private static final long MIN_STEP_BYTES = 64 << 10;

  /** How often a step makes way for clients. */
  static final int MAX_YIELDS = 4;

  /** Even if there is hardly anything to read: what was bad is looked at again, too. */
  static final long MAX_STEP_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int PARTS = 16;
  private static final int PARTS_OF_REST = 12;

  /** How much a step reads in a store that holds so much. */
  long stepBytes(long usedBytes) {
    double bytes = (double) usedBytes * MAX_STEP_NANOS / periodNanos();
    return Math.max(MIN_STEP_BYTES, Math.min(MAX_STEP_BYTES, (long) bytes));
  }

  private double periodNanos() {
    return (double) TimeUnit.MILLISECONDS.toNanos(1) * periodMillis;
  }

  /** The time that a step has. */
  private long stepNanos(long usedBytes) {
    double steps = Math.max(1.0, (double) usedBytes / stepBytes(usedBytes));
    return Math.min(MAX_STEP_NANOS, (long) (periodNanos() / steps));
  }

  /** From the end of a step to the next. */
  long restNanos(long usedBytes) {
    return stepNanos(usedBytes) / PARTS * PARTS_OF_REST;
  }

  /** How long a step makes way each time. */
  long yieldNanos(long usedBytes) {
    return stepNanos(usedBytes) / PARTS;
  }

  /** How long the next pass is off; a clock that jumped does not matter. */
  long untilNextPassMillis(long startedMillis, long nowMillis) {
    long since = nowMillis - startedMillis;
    return since < 0 || since > periodMillis ? 0 : periodMillis - since;
  }
}
