package org.weft.client.osd;

import java.util.concurrent.TimeUnit;

/**
 * Tells a connection that leads nowhere from an OSD that takes its time. TCP tries again ever more
 * rarely while a way is cut. A connection from before the cut stays dead for up to as long again as
 * the cut was. A new one is open at once.
 *
 * <p>It looks twice a second while calls are under way. It counts looks since the last one at which
 * a call was under way and after which nothing has come. After {@code patienceLooks} looks the OSD
 * is asked for a sign of life. After as many again the connection counts as silent. Looks are
 * counted and not the time between them: a process that was stopped for seconds has not listened
 * meanwhile.
 *
 * <p>Not thread-safe.
 */
final class SilenceWatch {
  /** What to do at a look. */
  enum Finding {
    /** Nothing is under way: no look is needed until the next call. */
    CALM,
    /** Something is under way, and there is no cause for anything yet. */
    WAIT,
    /** The OSD is to be asked for a sign of life. */
    ASK,
    /** It gave none: another connection is to be opened. */
    SILENT
  }

  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  static final int FIRST_PATIENCE_LOOKS = 2;
  private static final int MAX_PATIENCE_LOOKS = 16;
  private static final long PROVEN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int patienceLooks;
  private final long beganNanos;
  private boolean called = true;
  private boolean isOwed;
  private long owedNanos;
  private int looks;

  private SilenceWatch(int patienceLooks, long nowNanos) {
    this.patienceLooks = patienceLooks;
    this.beganNanos = nowNanos;
  }

  /** Of a connection that was opened now, in place of none. */
  static SilenceWatch begin(long nowNanos) {
    return new SilenceWatch(FIRST_PATIENCE_LOOKS, nowNanos);
  }

  /**
   * Of a connection that was opened now because this one was silent. It is given twice the time,
   * for the fault may lie with the OSD; not so where this one had served for a minute.
   */
  SilenceWatch next(long nowNanos) {
    boolean isProven = nowNanos - beganNanos >= PROVEN_NANOS;
    return new SilenceWatch(
        isProven ? FIRST_PATIENCE_LOOKS : Math.min(2 * patienceLooks, MAX_PATIENCE_LOOKS),
        nowNanos);
  }

  /** A call is made. */
  void called() {
    called = true;
  }

  /**
   * The connection was looked at.
   *
   * @param heardNanos when anything came last
   * @param callsUnderWay such as are neither answered nor given up
   */
  Finding look(long nowNanos, long heardNanos, int callsUnderWay) {
    boolean isCalled = called;
    called = false;
    if (isSilentSince(heardNanos)) {
      looks++;
      if (looks == patienceLooks) {
        return Finding.ASK;
      }
      return looks < 2 * patienceLooks ? Finding.WAIT : Finding.SILENT;
    }
    isOwed = callsUnderWay > 0;
    owedNanos = nowNanos;
    looks = 0;
    return isOwed || isCalled ? Finding.WAIT : Finding.CALM;
  }

  /** True if something was owed at a look, and nothing has come since. */
  boolean isSilentSince(long heardNanos) {
    return isOwed && heardNanos - owedNanos < 0;
  }
}
