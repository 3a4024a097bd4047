package org.weft.metadata;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.serving.request.ServingLease;
import org.weft.protocol.clock.ClusterClock;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;

/**
 * Sends heartbeats to SysMgr, and renews the lease with the answers. A beat does not wait for the
 * answer to the one before: a slow answer must not cost the lease. Confined to the daemon's home
 * executor.
 */
final class Heartbeats {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
  private static final int MAX_INTERVAL_MILLIS = 500;
  private static final int MAX_UNDER_WAY = 8;

  private final Environment environment;
  private final Executor home;
  private final SysmgrCalls sysmgr;
  private final ServingLease lease;
  private final Supplier<HeartbeatRequest.Builder> report;
  private final Consumer<HeartbeatReply> answers;
  private final ClusterClock clock;
  private final Runnable joinAgain;
  private long intervalNanos;
  private Timer timer = () -> {};
  private int underWay;
  private boolean stopped;
  private boolean heard = true;

  /**
   * @param report what to say
   * @param answers receives SysMgr's answers
   * @param clock receives SysMgr's clock
   * @param joinAgain SysMgr does not know the manager, or this process, any more
   */
  Heartbeats(
      Environment environment,
      Executor home,
      SysmgrCalls sysmgr,
      ServingLease lease,
      Supplier<HeartbeatRequest.Builder> report,
      Consumer<HeartbeatReply> answers,
      ClusterClock clock,
      Runnable joinAgain) {
    this.environment = environment;
    this.home = home;
    this.sysmgr = sysmgr;
    this.lease = lease;
    this.report = report;
    this.answers = answers;
    this.clock = clock;
    this.joinAgain = joinAgain;
  }

  /** Begins, at the interval that SysMgr asked for, or more often. */
  void start(int heartbeatMillis) {
    int millis = Math.max(1, Math.min(heartbeatMillis, MAX_INTERVAL_MILLIS));
    intervalNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    beat();
  }

  private void beat() {
    if (stopped) {
      return;
    }
    timer = environment.scheduler().schedule(intervalNanos, home, this::beat);
    if (underWay >= MAX_UNDER_WAY) {
      return;
    }
    underWay++;
    long sentNanos = environment.ticker().nowNanos();
    var unused =
        sysmgr
            .heartbeat(report.get().build())
            .whenComplete(
                (reply, failure) -> {
                  underWay--;
                  if (failure == null) {
                    answered(sentNanos, reply);
                  } else {
                    failed(WeftException.of(failure));
                  }
                });
  }

  private void answered(long sentNanos, HeartbeatReply reply) {
    heard = true;
    clock.heard(
        reply.getClockMillis(),
        TimeUnit.NANOSECONDS.toMillis(environment.ticker().nowNanos() - sentNanos));
    lease.renewed(sentNanos, reply.getLeaseMillis());
    answers.accept(reply);
  }

  private void failed(WeftException failure) {
    if (heard) {
      LOG.warn("SysMgr did not take a heartbeat: {}", failure.getMessage());
    }
    heard = false;
    if (failure.code().isSuperseded() && !stopped) {
      joinAgain.run();
    }
  }

  /** Sends no more. */
  void stop() {
    stopped = true;
    timer.cancel();
  }

  /** Sends a last beat that says the manager leaves, and no more. */
  void leave(Consumer<Throwable> done) {
    stop();
    var unused =
        sysmgr
            .heartbeat(report.get().setLeaving(true).build())
            .whenComplete((reply, failure) -> done.accept(failure));
  }
}
