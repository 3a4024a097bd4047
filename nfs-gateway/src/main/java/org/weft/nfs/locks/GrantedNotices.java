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
 * Calls clients that have locks for which they waited, with the same cookie until they answer. A
 * client that is not reached for a minute has the lock no more. No call is made for a lock that has
 * lapsed meanwhile.
 *
 * <p>A client that is called again may have taken the lock before, with an answer that was lost. It
 * has forgotten its wait then: Linux answers DENIED (nlmclnt_grant finds no waiting process). So
 * DENIED means that the lock is not wanted only where the client was called once. Else the lock
 * stays in doubt until its client asks again, unlocks or cancels. A client that gives up its wait
 * says so with CANCEL (P 6.5f.8). Confined to the executor of the table.
 */
final class GrantedNotices {
  private static final Logger LOG = LoggerFactory.getLogger(GrantedNotices.class);

  /** More than the half minute after which clients ask by themselves. */
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** After GRANTED_MSG: its client first looks up the gateway's portmapper to answer. */
  private static final long MESSAGE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Connections; more wait for the next turn. */
  private static final int MAX_CALLS = 64;

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
    if (waiting.over || waiting.inDoubt) {
      return;
    }
    if (waiting.lapsed) {
      unwanted.accept(waiting);
      return;
    }
    if (environment.ticker().nowNanos() - waiting.grantedNanos > MAX_NANOS) {
      if (waiting.told > 0) {
        doubt(waiting);
        return;
      }
      LOG.warn(
          "{} at {} was not reached for a lock that it waited for; it is unlocked",
          waiting.request.owner().name(),
          waiting.request.owner().client());
      unwanted.accept(waiting);
      return;
    }
    // Whether it is locked still is known once it is reclaimed.
    if (underWay >= MAX_CALLS || waiting.file.hasLostSession()) {
      again(waiting, AGAIN_NANOS);
      return;
    }
    underWay++;
    waiting.told++;
    NlmMessage.Test message =
        new NlmMessage.Test(waiting.cookie, waiting.request.exclusive(), waiting.request.lock());
    boolean asMessage = waiting.request.asMessage();
    var unused =
        calls
            .granted(waiting.request.owner(), message, asMessage)
            .whenCompleteAsync(
                (status, failure) -> {
                  underWay--;
                  if (failure == null) {
                    status.ifPresent(said -> answered(waiting, said));
                  } else {
                    waiting.told--;
                    LOG.debug("GRANTED did not reach its client: {}", failure.toString());
                  }
                  boolean left = failure == null && asMessage;
                  again(waiting, left ? MESSAGE_AGAIN_NANOS : AGAIN_NANOS);
                },
                home);
  }

  private void again(WaitingLock waiting, long nanos) {
    if (!waiting.over && !waiting.inDoubt) {
      environment.scheduler().schedule(nanos, home, () -> tell(waiting));
    }
  }

  /** What a client said, in its reply or with GRANTED_RES. */
  void answered(WaitingLock waiting, NlmStatus status) {
    if (waiting.over) {
      return;
    }
    if (status == NlmStatus.DENIED_GRACE_PERIOD) {
      // It is to be called again, and has not taken the lock yet.
      waiting.told = Math.max(0, waiting.told - 1);
      return;
    }
    if (status == NlmStatus.GRANTED && !waiting.lapsed) {
      confirmed.accept(waiting);
    } else if (waiting.told > 1 && !waiting.lapsed) {
      doubt(waiting);
    } else {
      unwanted.accept(waiting);
    }
  }

  private static void doubt(WaitingLock waiting) {
    if (waiting.inDoubt) {
      return;
    }
    waiting.inDoubt = true;
    LOG.info(
        "{} at {} may rely on a lock that it waited for: it was told {} times, and has not taken it"
            + " as far as it is known; the lock stays until it is unlocked or cancelled",
        waiting.request.owner().name(),
        waiting.request.owner().client(),
        waiting.told);
  }
}
