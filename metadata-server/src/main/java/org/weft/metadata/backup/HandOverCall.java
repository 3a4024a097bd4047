package org.weft.metadata.backup;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.HandOverRequest;

/**
 * Asks SysMgr to give a volume to its backup (P 6.2). It repeats that, with growing pauses, until
 * SysMgr has done so or says that the row has changed. Confined to the volume's thread.
 */
final class HandOverCall implements AutoCloseable {
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(100), MAX_NANOS);
  private static final Logger LOG = LoggerFactory.getLogger(HandOverCall.class);

  private final HandOverRequest request;
  private final PairReports reports;
  private final Environment environment;
  private final OwnedExecutor home;
  private final Backoff.Delays delays;
  private Timer timer = () -> {};
  private boolean closed;

  HandOverCall(
      HandOverRequest request, PairReports reports, Environment environment, OwnedExecutor home) {
    this.request = request;
    this.reports = reports;
    this.environment = environment;
    this.delays = RETRIES.begin(environment.random());
    this.home = home;
  }

  void start(long afterNanos) {
    if (afterNanos == 0) {
      ask();
    } else {
      timer = environment.scheduler().schedule(afterNanos, home, this::ask);
    }
  }

  private void ask() {
    if (!closed) {
      var unused =
          reports.handOver(request).whenCompleteAsync((nothing, failure) -> heard(failure), home);
    }
  }

  private void heard(Throwable failure) {
    if (failure == null || closed) {
      return;
    }
    WeftException why = WeftException.of(failure);
    if (why.code().isSuperseded()) {
      LOG.info("volume {} is not handed over: {}", request.getVolumeId(), why.getMessage());
      return;
    }
    LOG.warn(
        "volume {} waits to be served by manager {}: {}",
        request.getVolumeId(),
        request.getBackupId(),
        why.getMessage());
    start(delays.nextNanos());
  }

  /** Asks no more. */
  @Override
  public void close() {
    closed = true;
    timer.cancel();
  }
}
