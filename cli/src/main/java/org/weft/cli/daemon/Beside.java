package org.weft.cli.daemon;

import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.retry.Backoff;

/**
 * Keeps something running beside a daemon, in the same process, without the daemon depending on it.
 * A thread of its own tries to start it until that works. It ends with the daemon. No exception of
 * the companion leaves this class. Thread-safe.
 *
 * @param <T> what runs
 */
final class Beside<T extends AutoCloseable> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Beside.class);

  /** All daemons of a cluster may wait for the same SysMgr. */
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(30));

  /** Less than a daemon has for its whole end; the rest is the daemon's own. */
  private static final long END_MILLIS = 40_000;

  /** Starts it. Blocks. An exception says why it does not run; nothing is left behind then. */
  @FunctionalInterface
  interface Start<T> {
    T start() throws Exception;
  }

  private final String what;
  private final Start<T> start;
  private final Backoff.Delays delays;
  private final Thread thread;

  // All that follows is guarded by this.
  private T running;
  private String problem;
  private long failedStarts;
  private boolean starting;
  private boolean closed;

  /**
   * Prepares it; nothing is started before {@link #begin}.
   *
   * @param what it is, for messages
   */
  Beside(String what, Start<T> start) {
    this(what, start, RETRIES.begin(new SecureRandom()));
  }

  /**
   * The same with another patience.
   *
   * @param delays after starts that fail; used by its thread alone
   */
  Beside(String what, Start<T> start, Backoff.Delays delays) {
    this.what = what;
    this.start = start;
    this.delays = delays;
    this.problem = what + " in this process has not started yet";
    this.thread = new Thread(this::run, "beside");
    thread.setDaemon(true);
  }

  /** Starts it, now or as soon as that works. Returns at once. */
  void begin() {
    thread.start();
  }

  /** What runs: one, or none. */
  synchronized List<T> running() {
    return running == null ? List.of() : List.of(running);
  }

  /** A sentence on why it does not run; none if it does. */
  synchronized List<String> problems() {
    return running == null && !closed ? List.of(problem) : List.of();
  }

  /** How often it could not be started. */
  synchronized long failedStarts() {
    return failedStarts;
  }

  private void run() {
    while (!isClosed()) {
      T started = tryStart();
      if (started != null) {
        runUntilClosed(started);
        return;
      }
      waitForEnd(delays.nextNanos());
    }
  }

  /** Null if it did not start. */
  private T tryStart() {
    synchronized (this) {
      starting = !closed;
      if (closed) {
        return null;
      }
    }
    try {
      return start.start();
    } catch (Exception | Error e) {
      failed(e);
      return null;
    } finally {
      synchronized (this) {
        starting = false;
        // An interruption was for the start alone.
        var unused = Thread.interrupted();
      }
    }
  }

  private synchronized void failed(Throwable failure) {
    if (closed) {
      return;
    }
    failedStarts++;
    String now = "%s in this process does not run: %s".formatted(what, failure.getMessage());
    if (!now.equals(problem)) {
      LOG.error("{}; the daemon goes on without it, and it is tried again", now, failure);
    }
    problem = now;
  }

  private void runUntilClosed(T started) {
    synchronized (this) {
      running = started;
    }
    waitForEnd(0);
    try {
      started.close();
    } catch (Exception | Error e) {
      LOG.error("{} did not end in order", what, e);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Returns when it is to end, or after so long; 0: not before. */
  private synchronized void waitForEnd(long mostNanos) {
    long deadlineNanos = System.nanoTime() + mostNanos;
    while (!closed) {
      long leftNanos = deadlineNanos - System.nanoTime();
      if (mostNanos != 0 && leftNanos <= 0) {
        return;
      }
      long leftMillis = mostNanos == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1;
      try {
        wait(leftMillis);
      } catch (InterruptedException e) {
        // Only the end interrupts, and it sets what is looked at next.
        LOG.debug("{} is to end", what, e);
      }
    }
  }

  /**
   * Ends it in order, or gives that up after a while, so that the daemon can still end in order.
   * Blocks.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      if (starting) {
        thread.interrupt();
      }
      notifyAll();
    }
    try {
      thread.join(END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("{} has not ended within {} ms; the daemon ends without it", what, END_MILLIS);
    }
  }
}
