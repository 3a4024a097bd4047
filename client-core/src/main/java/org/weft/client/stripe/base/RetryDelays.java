package org.weft.client.stripe.base;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Pauses between tries: doubling up to a longest, each shortened at random by up to half. */
public final class RetryDelays {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final RandomGenerator random;
  private final long longestNanos;
  private long nextNanos;

  /** From 20 ms to 1 s: for what has failed. */
  public RetryDelays(RandomGenerator random) {
    this(random, FIRST_NANOS, LONGEST_NANOS);
  }

  private RetryDelays(RandomGenerator random, long firstNanos, long longestNanos) {
    this.random = random;
    this.nextNanos = firstNanos;
    this.longestNanos = longestNanos;
  }

  /** From 2 ms to 50 ms: a writer that flushes all the time leaves moments of rest between. */
  public static RetryDelays forRest(RandomGenerator random) {
    return new RetryDelays(random, FIRST_REST_NANOS, LONGEST_REST_NANOS);
  }

  public long nextNanos() {
    long nanos = nextNanos;
    nextNanos = Math.min(2 * nextNanos, longestNanos);
    return nanos - random.nextLong(nanos / 2 + 1);
  }
}
