package org.weft.protocol.system;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Ticker;

/**
 * Waits for what cannot notify: looks at it, sleeps, and looks again, until it holds or the time is
 * over. The time begins when the wait is made, so each is for one use. For one thread, which may
 * block: an executor of a server waits by {@code Scheduler}.
 *
 * <p>An interruption ends the sleep with {@link InterruptedIOException}; the thread stays marked as
 * interrupted.
 */
public final class PolledWait {
  private final Ticker ticker;
  private final Sleep sleep;
  private final long pauseNanos;
  private final long maxNanos;
  private final long beganNanos;

  /** Sleeps of real time, or what a test has in their place. */
  @FunctionalInterface
  interface Sleep {
    void nanos(long nanos) throws InterruptedException;
  }

  /** What is waited for. */
  @FunctionalInterface
  public interface Look<E extends Exception> {
    boolean holds() throws E;
  }

  /** With another clock, for tests. */
  PolledWait(Ticker ticker, Sleep sleep, long pauseNanos, long maxNanos) {
    this.ticker = ticker;
    this.sleep = sleep;
    this.pauseNanos = pauseNanos;
    this.maxNanos = maxNanos;
    this.beganNanos = ticker.nowNanos();
  }

  /** Looks once in each pause, as long as it takes. */
  public static PolledWait every(Duration pause) {
    return new PolledWait(
        System::nanoTime, TimeUnit.NANOSECONDS::sleep, pause.toNanos(), Long.MAX_VALUE);
  }

  /** The same with a deadline: so long after now. */
  public PolledWait atMost(Duration max) {
    return new PolledWait(ticker, sleep, pauseNanos, max.toNanos());
  }

  /** How long ago the wait began. */
  public long waitedNanos() {
    return ticker.nowNanos() - beganNanos;
  }

  /**
   * Looks until it holds. The last look is made when the time is over.
   *
   * @return false if it did not hold within the time
   * @throws InterruptedIOException if the thread is interrupted; what it looks at goes on
   */
  public <E extends Exception> boolean until(Look<E> look) throws E, InterruptedIOException {
    while (!look.holds()) {
      if (!pause()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Sleeps for one pause, or for the rest of the time.
   *
   * @return false, without a sleep, if the time is over
   * @throws InterruptedIOException if the thread is interrupted
   */
  public boolean pause() throws InterruptedIOException {
    long leftNanos = maxNanos - waitedNanos();
    if (leftNanos <= 0) {
      return false;
    }
    try {
      sleep.nanos(Math.min(pauseNanos, leftNanos));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }
}
