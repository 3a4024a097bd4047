package org.weft.sysmgr.status;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Prints times as people read them. */
final class Ago {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final long SECOND_MILLIS = 1_000;
  private static final long MINUTE_SECONDS = 60;
  private static final long HOUR_SECONDS = 3_600;
  private static final long DAY_SECONDS = 86_400;

  private Ago() {}

  /** "since 2026-11-20 23:10:04 UTC (5 min)". */
  static String since(long millis, long nowMillis) {
    return "since "
        + STAMP.format(Instant.ofEpochMilli(millis))
        + " ("
        + length(Math.max(0, nowMillis - millis))
        + ")";
  }

  static String length(long millis) {
    long seconds = millis / SECOND_MILLIS;
    if (seconds < 2 * MINUTE_SECONDS) {
      return seconds + " s";
    }
    if (seconds < 2 * HOUR_SECONDS) {
      return seconds / MINUTE_SECONDS + " min";
    }
    return seconds < 2 * DAY_SECONDS
        ? seconds / HOUR_SECONDS + " h"
        : seconds / DAY_SECONDS + " days";
  }
}
