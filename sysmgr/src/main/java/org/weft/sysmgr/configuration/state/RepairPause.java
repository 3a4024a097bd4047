package org.weft.sysmgr.configuration.state;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * An operator wants nothing to be rebuilt or drained for a while (P 6.8).
 *
 * @param reason to show
 * @param user of the operator that asked for it; to show
 * @param sinceMillis wall time at which it began; to show
 * @param endMillis wall time at which SysMgr ends it by itself
 */
public record RepairPause(String reason, String user, long sinceMillis, long endMillis) {
  public static final long MIN_MILLIS = TimeUnit.MINUTES.toMillis(1);
  public static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(7);
  public static final long DEFAULT_MILLIS = TimeUnit.DAYS.toMillis(1);

  public RepairPause {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(user, "user");
  }

  /** "until 2026-11-30T07:20:00Z, by root: the switch is replaced". */
  public String words() {
    return "until %s, by %s: %s"
        .formatted(
            Instant.ofEpochMilli(endMillis).truncatedTo(ChronoUnit.SECONDS),
            user.isEmpty() ? "an unknown user" : user,
            reason);
  }
}
