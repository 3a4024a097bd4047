package org.weft.client.stripe.hedge;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Ticker;

/**
 * OSDs whose answers were late several times in a row. For a moment reads go around them from the
 * start, where that costs little. So they need not find out each time anew. Advice that runs out.
 * Thread-safe.
 */
final class SlowOsds {
  private static final int LATE_IN_A_ROW = 3;
  private static final long AVOIDED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Lateness(int inARow, long avoidedUntilNanos) {}

  private final Ticker ticker;
  private final Map<OsdId, Lateness> late = new ConcurrentSkipListMap<>();

  SlowOsds(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Others were faster, although they were asked later. */
  void outrun(OsdId osd) {
    long nowNanos = ticker.nowNanos();
    late.merge(
        osd,
        new Lateness(1, nowNanos),
        (before, one) ->
            before.inARow() + 1 < LATE_IN_A_ROW
                ? new Lateness(before.inARow() + 1, nowNanos)
                // Once its time is over one late answer is enough.
                : new Lateness(LATE_IN_A_ROW - 1, nowNanos + AVOIDED_NANOS));
  }

  /** It answered in time. */
  void answered(OsdId osd) {
    if (!late.isEmpty()) {
      late.remove(osd);
    }
  }

  /** True if some OSD is avoided now. One late answer does not count, nor a time that is over. */
  boolean avoidsAny() {
    if (late.isEmpty()) {
      return false;
    }
    long nowNanos = ticker.nowNanos();
    for (Lateness lateness : late.values()) {
      if (lateness.avoidedUntilNanos() - nowNanos > 0) {
        return true;
      }
    }
    return false;
  }

  boolean isAvoided(OsdId osd) {
    if (late.isEmpty()) {
      return false;
    }
    Lateness lateness = late.get(osd);
    return lateness != null && lateness.avoidedUntilNanos() - ticker.nowNanos() > 0;
  }
}
