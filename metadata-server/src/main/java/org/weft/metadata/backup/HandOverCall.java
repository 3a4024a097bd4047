package org.weft.metadata.backup;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.HandOverRequest;

/**
 * Asks SysMgr to give a volume to its backup (P 6.2): again and again, later each time, until
 * SysMgr has done so or says that the row is another one by now. Confined to the volume's thread.
 */
final class HandOverCall implements AutoCloseable {
  static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Logger LOG = LoggerFactory.getLogger(HandOverCall.class);

  private final HandOverRequest request;
  private final PairReports reports;
  private final Scheduler scheduler;
  private final OwnedExecutor home;
  private long waitNanos = FIRST_NANOS;
  private Timer timer = () -> {};
  private boolean closed;

  HandOverCall(
      HandOverRequest request, PairReports reports, Scheduler scheduler, OwnedExecutor home) {
    this.request = request;
    this.reports = reports;
    this.scheduler = scheduler;
    this.home = home;
  }

  void start(long afterNanos) {
    if (afterNanos == 0) {
      ask();
    } else {
      timer = scheduler.schedule(afterNanos, home, this::ask);
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
    start(waitNanos);
    waitNanos = Math.min(MOST_NANOS, 2 * waitNanos);
  }

  /** Asks no more. */
  @Override
  public void close() {
    closed = true;
    timer.cancel();
  }
}
