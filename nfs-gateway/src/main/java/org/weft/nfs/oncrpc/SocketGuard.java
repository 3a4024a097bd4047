package org.weft.nfs.oncrpc;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Notices that this process stood still, so that calls that waited in sockets meanwhile are refused
 * (P 6.5c.6.23). Their clients may have moved to another gateway, and written on there.
 *
 * <p>A stall is a gap of more than {@value #GAP_MILLIS} ms in which no thread looked at the
 * monotonic clock. The first look after it counts it. Each call that arrives looks, and a timer
 * every {@value #TICK_MILLIS} ms. So a timer alone that is late on a loaded machine is no stall.
 *
 * <p>A machine whose monotonic clock stands still with it (a suspended guest) sees no gap.
 * Therefore a session that a manager ended for want of a sign of life counts as a stall, too.
 *
 * <p>Thread-safe.
 */
final class SocketGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketGuard.class);
  static final long TICK_MILLIS = 250;

  /** Shorter than any move of an address, which takes some seconds. */
  static final long GAP_MILLIS = 750;

  /** So long after a stall the system may still hand over connections that were made during it. */
  static final long SETTLE_MILLIS = 250;

  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(GAP_MILLIS);
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(SETTLE_MILLIS);

  /** Looks that follow each other sooner would only make threads wait for each other. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Ticker ticker;
  private final Scheduler scheduler;
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();
  private volatile LongSupplier lostSessions = () -> 0;
  private volatile long lookedNanos;
  private volatile long stalls;

  // Guarded by the monitor.
  private long stalledNanos;
  private long lostBefore;
  private boolean closed;
  private Scheduler.Timer timer;

  SocketGuard(Ticker ticker, Scheduler scheduler) {
    this.ticker = ticker;
    this.scheduler = scheduler;
    this.lookedNanos = ticker.nowNanos();
  }

  synchronized void start() {
    if (!closed) {
      timer =
          scheduler.schedule(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), Runnable::run, this::tick);
    }
  }

  private void tick() {
    look(ticker.nowNanos());
    start();
  }

  /**
   * @param lost how often a manager ended a session of this process
   */
  void suspectAfter(LongSupplier lost) {
    lostSessions = lost;
  }

  /**
   * @param listener told after each stall, on any thread; must not block
   */
  void listen(Runnable listener) {
    listeners.add(listener);
  }

  void forget(Runnable listener) {
    listeners.remove(listener);
  }

  /** How often this process has stood still. A call was there before if this grew meanwhile. */
  long stalls() {
    // In this order: a stall between the two is seen.
    long lastNanos = lookedNanos;
    long nowNanos = ticker.nowNanos();
    if (nowNanos - lastNanos >= FRESH_NANOS) {
      look(nowNanos);
    }
    return stalls;
  }

  /** The same of what a new connection has surely not waited for. */
  synchronized long stallsBeforeNew() {
    long nowNanos = ticker.nowNanos();
    look(nowNanos);
    return stalls > 0 && nowNanos - stalledNanos < SETTLE_NANOS ? stalls - 1 : stalls;
  }

  private void look(long nowNanos) {
    if (count(nowNanos)) {
      listeners.forEach(Runnable::run);
    }
  }

  private synchronized boolean count(long nowNanos) {
    long gapNanos = nowNanos - lookedNanos;
    long lost = lostSessions.getAsLong();
    boolean stood = gapNanos > GAP_NANOS;
    boolean silent = lost > lostBefore;
    lostBefore = lost;
    if (stood || silent) {
      LOG.warn(
          "{}: connections with calls that waited meanwhile are closed, clients repeat them",
          stood
              ? "this process stood still for " + TimeUnit.NANOSECONDS.toMillis(gapNanos) + " ms"
              : "a manager has ended a session");
      stalls++;
      stalledNanos = nowNanos;
    }
    if (gapNanos > 0) {
      lookedNanos = nowNanos;
    }
    return stood || silent;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
