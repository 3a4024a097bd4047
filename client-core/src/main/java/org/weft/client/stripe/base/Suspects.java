package org.weft.client.stripe.base;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.seam.Ticker;

/**
 * OSDs that did not answer lately. Readers go around them where they can, so that not every read
 * waits for the same timeout; it is advice, not a verdict, and runs out. Thread-safe.
 */
public final class Suspects {
  private static final int MOST_DOUBLINGS = 3;

  private record Suspicion(long untilNanos, int doublings) {}

  private final Ticker ticker;
  private final long firstNanos;
  private final SortedMap<OsdId, Suspicion> suspicions = new TreeMap<>();

  Suspects(Ticker ticker, int firstMillis) {
    this.ticker = ticker;
    this.firstNanos = TimeUnit.MILLISECONDS.toNanos(firstMillis);
  }

  /** True for failures that say something of the OSD as a whole, and not of this process. */
  public static boolean isUnreachable(WeftException failure) {
    return failure.code().isUnanswered() && !OwnLimits.caused(failure);
  }

  public synchronized boolean isSuspect(OsdId osd) {
    Suspicion suspicion = suspicions.get(osd);
    return suspicion != null && suspicion.untilNanos() - ticker.nowNanos() > 0;
  }

  /** True if some OSD is suspect now. Those whose time is over are remembered, but do not count. */
  public synchronized boolean suspectsAny() {
    if (suspicions.isEmpty()) {
      return false;
    }
    long nowNanos = ticker.nowNanos();
    for (Suspicion suspicion : suspicions.values()) {
      if (suspicion.untilNanos() - nowNanos > 0) {
        return true;
      }
    }
    return false;
  }

  /** It failed: avoid it, longer than the last time. */
  public synchronized void failed(OsdId osd) {
    Suspicion before = suspicions.get(osd);
    long nowNanos = ticker.nowNanos();
    if (before != null && before.untilNanos() - nowNanos > 0) {
      return;
    }
    int doublings = before == null ? 0 : Math.min(before.doublings() + 1, MOST_DOUBLINGS);
    suspicions.put(osd, new Suspicion(nowNanos + (firstNanos << doublings), doublings));
  }

  /** It answered: all is forgotten. */
  public synchronized void answered(OsdId osd) {
    suspicions.remove(osd);
  }
}
