package org.weft.nfs.locks;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.seam.Environment;

/**
 * Tells clients that they have locks for which they waited, again and again with the same cookie
 * until they answer; a client that is silent for a minute has the lock no more. Of a lock that has
 * lapsed meanwhile nothing is told. Confined to the executor of the table.
 */
final class GrantedNotices {
  private static final Logger LOG = LoggerFactory.getLogger(GrantedNotices.class);

  /** More than the half minute after which clients ask by themselves. */
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** After GRANTED_MSG: its client first looks up the gateway's portmapper to answer. */
  private static final long MESSAGE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Connections; more wait for the next turn. */
  private static final int MOST_CALLS = 64;

  private final GrantedCalls calls;
  private final Environment environment;
  private final Executor home;
  private final Consumer<WaitingLock> confirmed;
  private final Consumer<WaitingLock> unwanted;
  private int underWay;

  GrantedNotices(
      GrantedCalls calls,
      Environment environment,
      Executor home,
      Consumer<WaitingLock> confirmed,
      Consumer<WaitingLock> unwanted) {
    this.calls = calls;
    this.environment = environment;
    this.home = home;
    this.confirmed = confirmed;
    this.unwanted = unwanted;
  }

  void tell(WaitingLock waiting) {
    if (waiting.over) {
      return;
    }
    if (waiting.lapsed) {
      unwanted.accept(waiting);
      return;
    }
    if (environment.ticker().nowNanos() - waiting.grantedNanos > MOST_NANOS) {
      LOG.warn(
          "{} at {} did not take a lock that it waited for; it is unlocked",
          waiting.request.owner().name(),
          waiting.request.owner().client());
      unwanted.accept(waiting);
      return;
    }
    // Whether it is locked still is known once it is reclaimed.
    if (underWay >= MOST_CALLS || waiting.file.hasLostSession()) {
      again(waiting, AGAIN_NANOS);
      return;
    }
    underWay++;
    NlmMessage.Test message =
        new NlmMessage.Test(waiting.cookie, waiting.request.exclusive(), waiting.request.lock());
    var unused =
        calls
            .granted(waiting.request.owner(), message, waiting.request.asMessage())
            .whenCompleteAsync(
                (status, failure) -> {
                  underWay--;
                  if (failure == null) {
                    status.ifPresent(told -> answered(waiting, told));
                  } else {
                    LOG.debug("GRANTED was not taken: {}", failure.toString());
                  }
                  if (!waiting.over) {
                    boolean left = failure == null && status.isEmpty();
                    again(waiting, left ? MESSAGE_AGAIN_NANOS : AGAIN_NANOS);
                  }
                },
                home);
  }

  private void again(WaitingLock waiting, long nanos) {
    environment.scheduler().schedule(nanos, home, () -> tell(waiting));
  }

  /** What a client said, in its reply or with GRANTED_RES. */
  void answered(WaitingLock waiting, NlmStatus status) {
    if (waiting.over || status == NlmStatus.DENIED_GRACE_PERIOD) {
      return;
    }
    if (status == NlmStatus.GRANTED && !waiting.lapsed) {
      confirmed.accept(waiting);
    } else {
      unwanted.accept(waiting);
    }
  }
}
