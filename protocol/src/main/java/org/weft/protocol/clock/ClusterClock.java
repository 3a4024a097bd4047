package org.weft.protocol.clock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Clock;

/**
 * A daemon's wall clock. SysMgr's clock corrects it where the two differ by more than {@value
 * #TOLERATED_MILLIS} ms. One machine's clock issues capabilities and another's lets them expire;
 * files get their times from it, too. Answers of SysMgr tell its clock; how long the answer was
 * under way bounds the error. Nothing that must be right rests on it (P 5.7).
 *
 * <p>Thread-safe.
 */
public final class ClusterClock implements Clock {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterClock.class);
  static final long TOLERATED_MILLIS = 10_000;

  /** So little is no reason to move again. */
  private static final long STEADY_MILLIS = 2_000;

  private final Clock own;
  private volatile long aheadMillis;
  private volatile long roundTripMillis;

  public ClusterClock(Clock own) {
    this.own = own;
  }

  @Override
  public long nowMillis() {
    return own.nowMillis() - aheadMillis;
  }

  /** What this machine's clock says. */
  public long ownMillis() {
    return own.nowMillis();
  }

  /** How long the last answer of SysMgr took, there and back; 0: there was none. */
  public long roundTripMillis() {
    return roundTripMillis;
  }

  /**
   * SysMgr has answered.
   *
   * @param sysmgrMillis its clock when it answered; 0: not told
   * @param tookMillis how long ago the request was sent, by the monotonic clock
   */
  public synchronized void heard(long sysmgrMillis, long tookMillis) {
    roundTripMillis = Math.max(1, tookMillis);
    if (sysmgrMillis == 0) {
      return;
    }
    // The answer was under way for 0 to tookMillis.
    long most = own.nowMillis() - sysmgrMillis;
    long least = most - Math.max(0, tookMillis);
    long ahead = least > 0 ? least : Math.min(0, most);
    long wanted = Math.abs(ahead) > TOLERATED_MILLIS ? ahead : 0;
    if (Math.abs(wanted - aheadMillis) > STEADY_MILLIS) {
      LOG.warn(
          "this machine's clock is {} s {} SysMgr's; times are given by SysMgr's: set the clock"
              + " (chrony, ntpd)",
          Math.abs(ahead) / 1_000,
          ahead < 0 ? "behind" : "ahead of");
      aheadMillis = wanted;
    }
  }
}
