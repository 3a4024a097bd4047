package org.weft.cli.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Ticker;

/**
 * Which servers were asked and have not answered, and since when. A server that is asked again
 * after an attempt that got no answer is waited for since the first of them. Thread-safe.
 */
final class ServerWaits {
  /** Pauses between attempts are shorter. */
  private static final long ASKED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Ticker ticker;

  // Guarded by this; one entry for each server of the cluster that was asked.
  private final Map<Endpoint, Wait> waits = new LinkedHashMap<>();

  ServerWaits(Ticker ticker) {
    this.ticker = ticker;
  }

  /** A server that has not answered. */
  record Silent(String name, long silentNanos) {}

  private static final class Wait {
    private String name = "";
    private int underWay;
    private boolean unanswered;
    private long sinceNanos;
    private long endedNanos;
  }

  /** The server is asked; one {@link #ended} follows. */
  synchronized void begun(Endpoint server) {
    long nowNanos = ticker.nowNanos();
    Wait wait = waits.computeIfAbsent(server, address -> new Wait());
    if (wait.underWay++ == 0 && !isAskedAgain(wait, nowNanos)) {
      wait.sinceNanos = nowNanos;
    }
  }

  /** The server has a name. */
  synchronized void named(Endpoint server, String name) {
    waits.computeIfAbsent(server, address -> new Wait()).name = name;
  }

  /**
   * A question is over.
   *
   * @param failure null if it was answered
   */
  synchronized void ended(Endpoint server, Throwable failure) {
    Wait wait = waits.get(server);
    wait.underWay--;
    ErrorCode code = failure == null ? null : WeftException.of(failure).code();
    if (code == ErrorCode.CANCELLED) {
      return;
    }
    wait.unanswered = code != null && code.isUnanswered();
    wait.endedNanos = ticker.nowNanos();
    if (!wait.unanswered) {
      wait.sinceNanos = wait.endedNanos;
    }
  }

  private static boolean isAskedAgain(Wait wait, long nowNanos) {
    return wait.unanswered && nowNanos - wait.endedNanos <= ASKED_AGAIN_NANOS;
  }

  /**
   * Those that are being asked and have said nothing for at least so long, in the order of the
   * first question.
   */
  synchronized List<Silent> silentFor(long nanos) {
    long nowNanos = ticker.nowNanos();
    List<Silent> silent = new ArrayList<>();
    waits.forEach(
        (server, wait) -> {
          boolean asked = wait.underWay > 0 || isAskedAgain(wait, nowNanos);
          long silentNanos = nowNanos - wait.sinceNanos;
          if (asked && silentNanos >= nanos) {
            silent.add(
                new Silent(
                    wait.name.isEmpty() ? server.toString() : wait.name + " at " + server,
                    silentNanos));
          }
        });
    return silent;
  }
}
