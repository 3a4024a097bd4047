package org.weft.client.volume;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;

/**
 * The requests of a session that wait before their next attempt, because its volume is on its way
 * from one manager to another. Each one's own wait grows, so that a crowd of clients does not delay
 * the manager that takes over. One of them at a time asks again soon; once it is answered, all
 * others that were told NOT_SERVING are sent at once. A new epoch of the volume sends all of them.
 *
 * <p>Other refusals wait for their own time: an answer to one request says nothing of another
 * file's OSDs. Confined to the session's home executor.
 */
final class PutOffRequests {
  /** Between two attempts of the request that asks for all. */
  static final long SCOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A volume that is not served for so long is not merely on its way. */
  static final long SCOUTING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A wait that is longer is worth a line in the log, and another one after as long again. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final Logger LOG = LoggerFactory.getLogger(PutOffRequests.class);

  private record PutOff(Scheduler.Timer timer, boolean notServing) {}

  private final VolumeSession session;

  /** In the order of their refusals. */
  private final Map<Exchange<?>, PutOff> waiting = new LinkedHashMap<>();

  private Exchange<?> scout;
  private boolean unserved;
  private long unservedSinceNanos;
  private long epoch;
  private boolean saidSo;
  private long saidNanos;

  PutOffRequests(VolumeSession session) {
    this.session = session;
  }

  /**
   * Makes the next attempt of a request after a while, or earlier.
   *
   * @param failure what its last attempt was told
   * @param waitNanos its own wait
   */
  void add(Exchange<?> exchange, WeftException failure, long waitNanos) {
    boolean notServing = failure.code() == ErrorCode.NOT_SERVING;
    long nanos = waitNanos;
    if (notServing) {
      long nowNanos = session.nowNanos();
      if (!unserved) {
        unserved = true;
        unservedSinceNanos = nowNanos;
      }
      if (scout == null && nowNanos - unservedSinceNanos < SCOUTING_NANOS) {
        scout = exchange;
        nanos = Math.min(nanos, SCOUT_NANOS);
      }
    }
    waiting.put(exchange, new PutOff(session.schedule(nanos, () -> due(exchange)), notServing));
  }

  private void due(Exchange<?> exchange) {
    waiting.remove(exchange);
    if (scout == exchange) {
      scout = null;
    }
    exchange.attempt();
  }

  /**
   * Tells the log what the session waits for, once in a while.
   *
   * @param beganNanos when what is tried again was asked for
   */
  void waits(long beganNanos, WeftException failure) {
    long nowNanos = session.nowNanos();
    if (nowNanos - beganNanos >= SILENT_NANOS
        && (!saidSo || nowNanos - saidNanos >= SILENT_NANOS)) {
      saidSo = true;
      saidNanos = nowNanos;
      LOG.info(
          "waiting for the manager of volume {} for {} s, {} s at most: {}",
          session.volumeId(),
          TimeUnit.NANOSECONDS.toSeconds(nowNanos - beganNanos),
          TimeUnit.MILLISECONDS.toSeconds(session.options().requestTimeoutMillis()),
          failure.getMessage());
    }
  }

  /** The manager has carried a request out, or refused it for what it asks. */
  void answered() {
    if (unserved) {
      unserved = false;
      send(true);
    }
  }

  /** A table says that the volume is in this epoch. */
  void inEpoch(long newest) {
    if (newest > epoch) {
      epoch = newest;
      send(false);
    }
  }

  private void send(boolean notServingOnly) {
    List<Exchange<?>> next = new ArrayList<>();
    waiting.forEach(
        (exchange, putOff) -> {
          if (putOff.notServing() || !notServingOnly) {
            next.add(exchange);
          }
        });
    for (Exchange<?> exchange : next) {
      PutOff putOff = waiting.remove(exchange);
      // An answer to one before it may have sent this one.
      if (putOff != null) {
        putOff.timer().cancel();
        due(exchange);
      }
    }
  }
}
