package org.weft.client.stripe.hedge;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Runs a task for each read that has not ended by its time. Nearly all end before, so that a read
 * costs no timer: there is one for all, set for the oldest of them. Thread-safe.
 */
public final class LateWatch {
  /** What is due so soon is taken along. */
  private static final long SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Ticker ticker;
  private final Scheduler scheduler;
  private final Executor executor;
  private final Deque<Watched> inOrder = new ArrayDeque<>();
  private boolean armed;

  LateWatch(Ticker ticker, Scheduler scheduler, Executor executor) {
    this.ticker = ticker;
    this.scheduler = scheduler;
    this.executor = executor;
  }

  /** A read under way. */
  public static final class Watched {
    private final long deadlineNanos;
    private volatile Runnable late;

    private Watched(long deadlineNanos, Runnable late) {
      this.deadlineNanos = deadlineNanos;
      this.late = late;
    }

    /** It has ended; what it held on to is let go. */
    public void end() {
      late = null;
    }
  }

  /**
   * Watches a read.
   *
   * @param late runs on the executor, unless the read ends before; reads that are watched later
   *     should not be late much earlier
   */
  Watched watch(long delayNanos, Runnable late) {
    Watched watched = new Watched(ticker.nowNanos() + delayNanos, late);
    synchronized (this) {
      dropEnded();
      inOrder.addLast(watched);
      if (armed) {
        return watched;
      }
      armed = true;
    }
    lookAfter(delayNanos);
    return watched;
  }

  private void lookAfter(long delayNanos) {
    var unused = scheduler.schedule(delayNanos, executor, this::look);
  }

  private void dropEnded() {
    while (!inOrder.isEmpty() && inOrder.getFirst().late == null) {
      inOrder.removeFirst();
    }
  }

  private void look() {
    List<Runnable> due = new ArrayList<>();
    long nowNanos = ticker.nowNanos();
    long restNanos = 0;
    synchronized (this) {
      for (dropEnded(); !inOrder.isEmpty(); dropEnded()) {
        restNanos = inOrder.getFirst().deadlineNanos - nowNanos;
        if (restNanos > SLACK_NANOS) {
          break;
        }
        Runnable late = inOrder.removeFirst().late;
        if (late != null) {
          due.add(late);
        }
      }
      armed = !inOrder.isEmpty();
      if (!armed) {
        restNanos = 0;
      }
    }
    if (restNanos > 0) {
      lookAfter(restNanos);
    }
    due.forEach(Runnable::run);
  }
}
