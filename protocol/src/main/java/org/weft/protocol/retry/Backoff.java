package org.weft.protocol.retry;

import java.util.random.RandomGenerator;

/**
 * How long to wait before an attempt is repeated: the delay doubles with each failure, up to a
 * greatest one. Jitter shortens each delay at random by up to a share of it, and never lengthens
 * it. So callers that failed at the same moment do not come back together, and the bounds of a wait
 * are those that are written here. Immutable; the random numbers are handed in.
 *
 * @param firstNanos the longest delay after the first failure, more than 0
 * @param maxNanos the longest delay of all, at least as much
 * @param jitterPercent by how much of itself a delay is shortened at most, from 0 to 100
 */
public record Backoff(long firstNanos, long maxNanos, int jitterPercent) {
  private static final int HALF_PERCENT = 50;
  private static final int WHOLE_PERCENT = 100;

  public Backoff {
    if (firstNanos <= 0 || maxNanos < firstNanos) {
      throw new IllegalArgumentException(
          "a delay grows from more than 0, got " + firstNanos + " to " + maxNanos + " ns");
    }
    if (jitterPercent < 0 || jitterPercent > WHOLE_PERCENT) {
      throw new IllegalArgumentException(
          "jitter is 0 to 100 percent of a delay, got " + jitterPercent);
    }
  }

  /** For many callers of one server: each delay is between half and all of what it has grown to. */
  public static Backoff spread(long firstNanos, long maxNanos) {
    return new Backoff(firstNanos, maxNanos, HALF_PERCENT);
  }

  /** Without jitter. Each use says why no herd can come of it. */
  public static Backoff exact(long firstNanos, long maxNanos) {
    return new Backoff(firstNanos, maxNanos, 0);
  }

  /**
   * The delay after so many failures in a row, without jitter.
   *
   * @param failures 1 or more
   */
  public long exactNanos(int failures) {
    if (failures < 1) {
      throw new IllegalArgumentException("there is a delay after 1 failure, not " + failures);
    }
    int doublings = Math.min(failures - 1, Long.SIZE - 1);
    return maxNanos >> doublings < firstNanos ? maxNanos : firstNanos << doublings;
  }

  /**
   * The delay after so many failures in a row. Draws one number, none if there is no jitter.
   *
   * @param failures 1 or more
   */
  public long delayNanos(int failures, RandomGenerator random) {
    long longestNanos = exactNanos(failures);
    long jitterNanos = jitterNanos(longestNanos);
    return jitterNanos == 0
        ? longestNanos
        : longestNanos - jitterNanos + random.nextLong(jitterNanos + 1);
  }

  /** A product of both could overflow. */
  private long jitterNanos(long nanos) {
    return nanos / WHOLE_PERCENT * jitterPercent
        + nanos % WHOLE_PERCENT * jitterPercent / WHOLE_PERCENT;
  }

  /** The delays of one caller, which begin with the first. */
  public Delays begin(RandomGenerator random) {
    return new Delays(this, random);
  }

  /** How often one caller has failed in a row. Not thread-safe. */
  public static final class Delays {
    private final Backoff backoff;
    private final RandomGenerator random;
    private int failures;

    private Delays(Backoff backoff, RandomGenerator random) {
      this.backoff = backoff;
      this.random = random;
    }

    /** An attempt has failed: the delay before the next one. */
    public long nextNanos() {
      failures = Math.min(failures, Integer.MAX_VALUE - 1) + 1;
      return backoff.delayNanos(failures, random);
    }

    /** True if an attempt has failed since the last that succeeded. */
    public boolean hasFailed() {
      return failures > 0;
    }

    /** An attempt has succeeded: the next delay is the first again. */
    public void reset() {
      failures = 0;
    }
  }
}
