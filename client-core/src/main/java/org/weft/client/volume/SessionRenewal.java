package org.weft.client.volume;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.cluster.ReplyReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * Renews a session at a third of its lease. The renewal says which files it has opened and closed,
 * and what it relies on no more (P 6.5). Confined to the session's home executor.
 */
final class SessionRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(SessionRenewal.class);
  private static final int RENEWALS_PER_LEASE = 3;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final VolumeSession owner;
  private final ManagerDirectory directory;
  private Scheduler.Timer timer = () -> {};
  private boolean underWay;
  private boolean soon;

  SessionRenewal(VolumeSession owner, ManagerDirectory directory) {
    this.owner = owner;
    this.directory = directory;
  }

  /** The session has begun. */
  void begin(LiveSession session) {
    schedule(session, thirdNanos(session));
  }

  /** The session has ended. */
  void cancel() {
    timer.cancel();
  }

  /** A manager that has started waits for what this session has to say of its files (P 6.5). */
  void soon(LiveSession session) {
    if (!underWay && !soon) {
      soon = true;
      schedule(session, RETRY_NANOS);
    }
  }

  private static long thirdNanos(LiveSession session) {
    return session.leaseNanos() / RENEWALS_PER_LEASE;
  }

  private void schedule(LiveSession session, long delayNanos) {
    if (session.ended()) {
      // A late answer: the timer is that of the session after it.
      return;
    }
    timer.cancel();
    timer = owner.schedule(delayNanos, () -> renew(session));
  }

  private void renew(LiveSession session) {
    soon = false;
    if (session.ended()) {
      return;
    }
    underWay = true;
    RenewSessionRequest.Builder renewal =
        RenewSessionRequest.newBuilder().setVolumeId(owner.volumeId()).setSessionId(session.id());
    session.files().addTo(renewal);
    session.reads().ifPresent(reads -> reads.addTo(renewal));
    RenewSessionRequest body = renewal.build();
    int timeoutMillis = (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(thirdNanos(session)));
    long sentNanos = owner.nowNanos();
    var unused =
        owner
            .send(session.request(Opcode.RENEW_SESSION, body, timeoutMillis))
            .thenApply(ReplyReader.parser(RenewSessionReply.parser()))
            .whenComplete(
                (reply, failure) -> {
                  underWay = false;
                  if (failure == null) {
                    directory.heard(reply.getTableVersion());
                    // What another manager granted is dropped before this one hears of anything.
                    session.renewed(body, sentNanos, reply);
                    boolean more = session.files().answered(body, reply.getEpoch());
                    schedule(session, more ? 0 : thirdNanos(session));
                  } else {
                    failed(session, WeftException.of(failure));
                  }
                });
  }

  private void failed(LiveSession session, WeftException failure) {
    if (session.ended()) {
      return;
    }
    if (failure.code() == ErrorCode.SESSION_EXPIRED) {
      owner.expired(session);
    } else {
      LOG.debug("session {} not renewed, trying again: {}", session.id(), failure.getMessage());
      owner.notServed(failure);
      schedule(session, RETRY_NANOS);
    }
  }
}
