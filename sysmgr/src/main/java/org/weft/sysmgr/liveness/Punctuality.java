package org.weft.sysmgr.liveness;

import java.util.concurrent.TimeUnit;

/**
 * Tells whether a leader keeps up with what it is told. While its ticks, or the heartbeats that it
 * handles, are late, silence of a node says nothing of that node. The same holds for a while
 * afterwards, within which every node that lives is heard. Pure and single-threaded; times are
 * nanoseconds of the leader's monotonic clock.
 */
public final class Punctuality {
  /** What waits for so long is late. */
  public static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After the last lateness; longer than nodes take for two heartbeats. */
  public static final long CALM_NANOS = HeartbeatTable.SUSPECT_NANOS;

  private boolean wasLate;
  private long lateNanos;

  /**
   * Something ran by so much later than it should have.
   *
   * @return true if this is news: the leader judges no silence from now on
   */
  public boolean ran(long byNanos, long nowNanos) {
    if (byNanos < LATE_NANOS) {
      return false;
    }
    boolean news = keepsUp(nowNanos);
    wasLate = true;
    lateNanos = nowNanos;
    return news;
  }

  /** A heartbeat could not be taken. */
  public boolean refusedHeartbeat(long nowNanos) {
    return ran(LATE_NANOS, nowNanos);
  }

  /** True if nothing was late for a while: nodes may be judged by their silence. */
  public boolean keepsUp(long nowNanos) {
    return !wasLate || nowNanos - lateNanos >= CALM_NANOS;
  }
}
