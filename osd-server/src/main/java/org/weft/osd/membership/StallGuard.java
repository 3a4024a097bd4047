package org.weft.osd.membership;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.command.request.ClientGate;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Notices that this process stood still, and refuses clients if the OSD may have been given up
 * meanwhile (P 5.8). Requests that came during the stall wait in sockets. The OSD would answer them
 * before it hears of its quarantine, with bytes that have been overwritten elsewhere.
 *
 * <p>A stall is a gap of more than {@value #GAP_MILLIS} ms between two looks at the monotonic
 * clock. A gap refuses clients only if SysMgr may have given the OSD up before its end. That
 * depends on the time since the last answered heartbeat was sent. Only answers that a majority
 * confirmed count, and one is asked for every second or so. Waiting for the disk with what SysMgr
 * has said counts as a stall, for managers are not heard meanwhile. Clients are served again when
 * SysMgr has answered a heartbeat that was sent after the gap. That heartbeat must have asked for
 * an answer which a majority confirms.
 *
 * <p>Without a gap no client is refused, however long SysMgr is silent. A manager tells the OSD
 * itself before it writes around it, and waits a second for the answer, which is longer than the
 * gap. So the data path goes on while all of SysMgr is away. An OSD that stood still while all of
 * SysMgr is away serves no clients until SysMgr is back.
 *
 * <p>Only the OSD's own monotonic clock counts, and only to refuse. A machine whose monotonic clock
 * stands still with it (a suspended guest) sees no gap.
 *
 * <p>Thread-safe. {@link #requireOpen} reads one volatile field and the clock.
 */
public final class StallGuard implements ClientGate, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StallGuard.class);
  static final long TICK_MILLIS = 250;

  /** Shorter than a manager waits for an OSD that it tells of its quarantine. */
  static final long GAP_MILLIS = 750;

  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(GAP_MILLIS);
  private static final int DEFAULT_DOWN_MILLIS = 6_000;

  private final Ticker ticker;
  private final Scheduler scheduler;
  // The last look while the gate is open; older than the gap while it is shut.
  private volatile long openNanos;
  // The rest is guarded by the monitor.
  private long lookedNanos;
  private long answeredNanos;
  private long shutNanos;
  private long trustNanos = trustNanos(0);
  private boolean shut;
  // What managers and SysMgr say is not heard: the thread that hears it waits for the disk.
  private boolean deaf;
  private boolean closed;
  // Before that no client is served: there is nothing to be given up.
  private boolean joined;
  private Scheduler.Timer timer;

  public StallGuard(Environment environment) {
    this.ticker = environment.ticker();
    this.scheduler = environment.scheduler();
    long nowNanos = ticker.nowNanos();
    this.openNanos = nowNanos;
    this.lookedNanos = nowNanos;
    this.answeredNanos = nowNanos;
  }

  /**
   * The OSD has joined; begins to look by itself the first time.
   *
   * @param sentNanos when the request to join was sent; a majority decided the answer
   * @param downMillis an OSD that SysMgr has not heard for so long is given up; 0: not known
   */
  synchronized void joined(long sentNanos, int downMillis) {
    trustNanos = trustNanos(downMillis);
    if (!joined) {
      joined = true;
      answeredNanos = sentNanos;
      lookedNanos = sentNanos;
      openNanos = sentNanos;
      tick();
    } else {
      answered(sentNanos, true);
    }
  }

  /** Five sixths: clocks of two machines differ a little. */
  private static long trustNanos(int downMillis) {
    long millis = downMillis > 0 ? downMillis : DEFAULT_DOWN_MILLIS;
    return TimeUnit.MILLISECONDS.toNanos(millis) / 6 * 5;
  }

  private synchronized void tick() {
    if (!closed) {
      look(ticker.nowNanos());
      timer =
          scheduler.schedule(TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS), Runnable::run, this::tick);
    }
  }

  @Override
  public void requireOpen() throws WeftException {
    // In this order: a stall between the two is seen.
    long lastNanos = openNanos;
    long nowNanos = ticker.nowNanos();
    if (nowNanos - lastNanos > GAP_NANOS && !isOpenAt(nowNanos)) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "this OSD stood still and may have been given up meanwhile: it serves clients again when"
              + " SysMgr has replied to it; use the others");
    }
  }

  private synchronized boolean isOpenAt(long nowNanos) {
    look(nowNanos);
    return !shut;
  }

  private void look(long nowNanos) {
    if (!joined) {
      return;
    }
    boolean stood = nowNanos - lookedNanos > GAP_NANOS;
    if (stood && nowNanos - answeredNanos > trustNanos) {
      LOG.warn(
          "this process stood still for {} ms: clients are refused until SysMgr replies",
          TimeUnit.NANOSECONDS.toMillis(nowNanos - lookedNanos));
      shut = true;
      shutNanos = nowNanos;
    }
    if (!deaf && nowNanos - lookedNanos > 0) {
      lookedNanos = nowNanos;
    }
    if (!shut) {
      openNanos = lookedNanos;
    }
  }

  /** Clients are refused until SysMgr has given an answer that a majority confirms. */
  synchronized boolean isShut() {
    look(ticker.nowNanos());
    return shut;
  }

  /**
   * SysMgr is to be asked for an answer that a majority confirms: clients are refused, or the last
   * one was some time ago. A leader that was replaced says nothing of what its successor decided.
   */
  synchronized boolean wantsConfirmation() {
    long nowNanos = ticker.nowNanos();
    look(nowNanos);
    return shut || nowNanos - answeredNanos > trustNanos / 4;
  }

  /**
   * From now until {@link #hears} no word of a manager, that the OSD was given up, is heard: as if
   * the process stood still.
   */
  synchronized void hearsNothing() {
    look(ticker.nowNanos());
    deaf = true;
  }

  /** It is heard again what managers and SysMgr say. */
  synchronized void hears() {
    look(ticker.nowNanos());
    deaf = false;
    look(ticker.nowNanos());
  }

  /**
   * SysMgr has answered, and what it said is known here.
   *
   * @param sentNanos when the request was sent
   * @param confirmed the answer is that of a leader which a majority confirmed
   */
  synchronized void answered(long sentNanos, boolean confirmed) {
    // The answer may have waited while the process stood still again.
    look(ticker.nowNanos());
    if (confirmed && sentNanos - answeredNanos > 0) {
      answeredNanos = sentNanos;
    }
    if (shut && confirmed && sentNanos - shutNanos >= 0) {
      LOG.info("SysMgr has replied: clients are served again");
      shut = false;
      openNanos = lookedNanos;
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}
