package org.weft.client.stripe;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Pauses between tries: doubling from 20 ms to 1 s, each shortened at random by up to half. */
final class RetryDelays {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RandomGenerator random;
  private long nextNanos = FIRST_NANOS;

  RetryDelays(RandomGenerator random) {
    this.random = random;
  }

  long nextNanos() {
    long nanos = nextNanos;
    nextNanos = Math.min(2 * nextNanos, LONGEST_NANOS);
    return nanos - random.nextLong(nanos / 2 + 1);
  }
}
