package org.weft.client.stripe.base;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.seam.Ticker;

/**
 * OSDs that did not answer lately. Readers go around them where they can, so that not every read
 * waits for the same timeout. It is advice, not a verdict, and runs out. Thread-safe.
 */
public final class RecentFailures {
  private static final int MAX_GROWTH = 8;

  /** So that not all clients try an OSD again at the same moment that they have lost together. */
  private static final int JITTER_PERCENT = 20;

  private record Suspicion(long untilNanos, int failures) {
    boolean isOver(long nowNanos) {
      return untilNanos - nowNanos <= 0;
    }
  }

  private final Ticker ticker;
  private final RandomGenerator random;
  private final Backoff lengths;
  private final Map<OsdId, Suspicion> suspicions = new ConcurrentHashMap<>();

  RecentFailures(Ticker ticker, RandomGenerator random, int firstMillis) {
    long firstNanos = TimeUnit.MILLISECONDS.toNanos(firstMillis);
    this.ticker = ticker;
    this.random = random;
    this.lengths = new Backoff(firstNanos, MAX_GROWTH * firstNanos, JITTER_PERCENT);
  }

  /** True for failures that say something of the OSD as a whole, and not of this process. */
  public static boolean isUnreachable(WeftException failure) {
    return failure.code().isUnanswered() && !OwnLimits.caused(failure);
  }

  public boolean isSuspect(OsdId osd) {
    Suspicion suspicion = suspicions.get(osd);
    return suspicion != null && !suspicion.isOver(ticker.nowNanos());
  }

  /** True if some OSD is suspect now. Those whose time is over are remembered, but do not count. */
  public boolean suspectsAny() {
    if (suspicions.isEmpty()) {
      return false;
    }
    long nowNanos = ticker.nowNanos();
    return suspicions.values().stream().anyMatch(suspicion -> !suspicion.isOver(nowNanos));
  }

  /** It failed: avoid it, longer than the last time. */
  public void failed(OsdId osd) {
    long nowNanos = ticker.nowNanos();
    suspicions.compute(osd, (failed, before) -> next(before, nowNanos));
  }

  private Suspicion next(Suspicion before, long nowNanos) {
    if (before != null && !before.isOver(nowNanos)) {
      return before;
    }
    int failures = before == null ? 1 : before.failures() + 1;
    return new Suspicion(nowNanos + lengths.delayNanos(failures, random), failures);
  }

  /** It answered: all is forgotten. */
  public void answered(OsdId osd) {
    suspicions.remove(osd);
  }
}
