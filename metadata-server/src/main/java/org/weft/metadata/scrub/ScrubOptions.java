package org.weft.metadata.scrub;

import java.util.concurrent.TimeUnit;

/**
 * How fast a manager compares the parity of files of its volumes with their data (P 6.8f).
 *
 * @param bytesPerSecond that are read from all OSDs for all its volumes together; 0: no scrub
 * @param passDays a pass begins when the one before it began so many days ago; 0: at once
 */
public record ScrubOptions(long bytesPerSecond, int passDays) {
  public static final long MIN_BYTES_PER_SECOND = 64 << 10;
  public static final int MAX_DAYS = 3_650;
  private static final long MIN_PASS_MILLIS = 5_000;

  /** 10 MiB/s and two weeks: 12 TB in the time of a pass. */
  public static final ScrubOptions DEFAULT = new ScrubOptions(10 << 20, 14);

  /** Nothing is looked at. */
  public static final ScrubOptions OFF = new ScrubOptions(0, 0);

  public ScrubOptions {
    if (bytesPerSecond != 0 && bytesPerSecond < MIN_BYTES_PER_SECOND) {
      throw new IllegalArgumentException(
          "a scrub of parity reads %d bytes/s at least, got %d"
              .formatted(MIN_BYTES_PER_SECOND, bytesPerSecond));
    }
    if (passDays < 0 || passDays > MAX_DAYS) {
      throw new IllegalArgumentException(
          "a pass of the scrub of parity takes 0 to %d days, got %d".formatted(MAX_DAYS, passDays));
    }
  }

  /** Something is looked at. */
  public boolean isOn() {
    return bytesPerSecond > 0;
  }

  /** At least some seconds, since each pass is recorded. */
  long passMillis() {
    return Math.max(MIN_PASS_MILLIS, TimeUnit.DAYS.toMillis(passDays));
  }

  /** How long reading so much lasts. */
  long nanosOf(long bytes) {
    return (long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
  }
}
