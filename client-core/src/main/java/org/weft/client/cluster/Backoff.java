package org.weft.client.cluster;

import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: doubles up to a bound, with jitter. Not thread-safe.
 */
public final class Backoff {
  private final long firstNanos;
  private final long mostNanos;
  private final RandomGenerator random;
  private long nextNanos;

  public Backoff(long firstNanos, long mostNanos, RandomGenerator random) {
    if (firstNanos <= 0 || mostNanos < firstNanos) {
      throw new IllegalArgumentException(
          "a backoff grows from more than 0, got " + firstNanos + " to " + mostNanos + " ns");
    }
    this.firstNanos = firstNanos;
    this.mostNanos = mostNanos;
    this.random = random;
    this.nextNanos = firstNanos;
  }

  /** The wait before the next attempt: between half and all of a value that doubles each time. */
  public long nextNanos() {
    long base = nextNanos;
    nextNanos = Math.min(mostNanos, base * 2);
    return base / 2 + random.nextLong(base / 2 + 1);
  }

  /** An attempt succeeded: start again from the first wait. */
  public void reset() {
    nextNanos = firstNanos;
  }
}
