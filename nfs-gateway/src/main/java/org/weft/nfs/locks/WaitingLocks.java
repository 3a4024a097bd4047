package org.weft.nfs.locks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.client.LockMode;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;

/**
 * Locks that clients wait for: they are told when they have them, and give back what they do not
 * want any more. Confined to the executor of the locks.
 */
final class WaitingLocks {
  /** A lock that is decided sooner is answered with that, a later one with BLOCKED. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration PATIENCE = Duration.ofDays(1);

  private final OwnedFiles files;
  private final LockAttempts attempts;
  private final GrantedNotices notices;
  private final Environment environment;
  private final Executor home;

  WaitingLocks(
      OwnedFiles files,
      LockAttempts attempts,
      GrantedCalls calls,
      Environment environment,
      Executor home) {
    this.files = files;
    this.attempts = attempts;
    this.environment = environment;
    this.home = home;
    this.notices = new GrantedNotices(calls, environment, home, this::confirmed, this::giveBack);
  }

  /** LOCK that waits: answered with BLOCKED if it is not decided soon. */
  CompletableFuture<NlmStatus> begin(OwnedFile file, LockRequest request) {
    if (!files.mayWait(request.owner().client())) {
      files.forgetIfIdle(file);
      return CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
    }
    byte[] number = new byte[2 * Long.BYTES];
    ByteBuffer.wrap(number)
        .putLong(environment.random().nextLong())
        .putLong(environment.random().nextLong());
    WaitingLock waiting =
        new WaitingLock(file, request, new NetObject(number), environment.clock().nowMillis());
    file.waiting.add(waiting);
    // Behind what its client asked for before: an unlocking of all that it had must not take this.
    CompletableFuture<OwnerLocks> ready =
        file.inTurn(() -> attempts.debts().pay(file))
            .thenCompose(
                paid ->
                    paid == NlmStatus.GRANTED
                        ? file.opened
                        : CompletableFuture.failedFuture(
                            new WeftException(
                                ErrorCode.UNAVAILABLE, "what it had before is not unlocked yet")));
    var unused =
        ready.whenCompleteAsync(
            (locks, failure) -> {
              if (waiting.over) {
                return;
              }
              waiting.wanted =
                  failure == null
                      ? locks.lockAgain(request.range(), LockAttempts.mode(request), PATIENCE)
                      : CompletableFuture.failedFuture(failure);
              var unusedEnd =
                  waiting.wanted.whenCompleteAsync((done, why) -> decided(waiting, why), home);
            },
            home);
    environment
        .scheduler()
        .schedule(FIRST_ANSWER_NANOS, home, () -> waiting.first.complete(NlmStatus.BLOCKED));
    return waiting.first;
  }

  /**
   * Clients ask from time to time, since a call of ours may have been lost. DENIED_GRACE_PERIOD,
   * after which they ask anew, if it was granted and has lapsed, or may have.
   */
  CompletableFuture<NlmStatus> askedAgain(WaitingLock waiting) {
    if (!waiting.granted) {
      return CompletableFuture.completedFuture(
          waiting.first.isDone() ? NlmStatus.BLOCKED : NlmStatus.DENIED_GRACE_PERIOD);
    }
    if (waiting.lapsed) {
      giveBack(waiting);
    }
    if (waiting.lapsed || waiting.file.hasLostSession()) {
      return CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD);
    }
    confirmed(waiting);
    return CompletableFuture.completedFuture(NlmStatus.GRANTED);
  }

  private void decided(WaitingLock waiting, Throwable failure) {
    if (failure != null) {
      // The client asks again, and gets the result then.
      waiting.first.complete(LockStatus.of(failure));
      end(waiting);
      return;
    }
    OwnedFile file = waiting.file;
    waiting.granted = true;
    file.granted(waiting, environment.clock().nowMillis());
    if (waiting.over) {
      giveBack(waiting);
    } else if (!file.hasLostSession() && waiting.first.complete(NlmStatus.GRANTED)) {
      end(waiting);
    } else {
      // Whether it is locked still is known once it is reclaimed; its client asks again.
      waiting.first.complete(NlmStatus.DENIED_GRACE_PERIOD);
      waiting.grantedNanos = environment.ticker().nowNanos();
      notices.tell(waiting);
    }
  }

  private void end(WaitingLock waiting) {
    waiting.over = true;
    waiting.file.waiting.remove(waiting);
    waiting.file.told(waiting);
    files.forgetIfIdle(waiting.file);
  }

  /** Its client knows that it has it. */
  void confirmed(WaitingLock waiting) {
    end(waiting);
  }

  /**
   * It was granted, and its client does not want it or cannot be reached. Another wait of the owner
   * could be granted just before this lock is unlocked, and would be lost. Its client asks for it
   * again: at once or, after BLOCKED, when it looks again (Linux: within 30 s).
   */
  private void giveBack(WaitingLock waiting) {
    OwnedFile file = waiting.file;
    waiting.over = true;
    file.waiting.remove(waiting);
    List.copyOf(file.waiting).stream()
        .filter(each -> !each.granted && each.request.range().overlaps(waiting.request.range()))
        .forEach(this::cancelToAskAnew);
    var unused = files.during(file, () -> restore(file, waiting));
  }

  /**
   * The owner has again what it has without this lock; in between no other owner gets it. What was
   * locked since the lock was granted is another request's, and what was unlocked stays so: its
   * client may have started again.
   */
  private CompletableFuture<Void> restore(OwnedFile file, WaitingLock waiting) {
    OwnedFile.GoneBack back = file.goesBack(waiting);
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (ByteRange range : back.shared().list()) {
      done = done.thenCompose(x -> attempts.again(file, range, LockMode.SHARED));
    }
    for (ByteRange range : back.exclusive().list()) {
      done = done.thenCompose(x -> attempts.again(file, range, LockMode.EXCLUSIVE));
    }
    for (ByteRange range : back.unlocked().list()) {
      done = done.thenCompose(x -> attempts.debts().release(file, range)).thenApply(status -> null);
    }
    return done;
  }

  /** Its client wants it all the same: one that has no answer yet asks again. */
  void cancelToAskAnew(WaitingLock waiting) {
    waiting.first.complete(NlmStatus.DENIED_GRACE_PERIOD);
    cancel(waiting);
  }

  /** Its client does not want it any more. */
  void cancel(WaitingLock waiting) {
    if (waiting.granted) {
      giveBack(waiting);
      return;
    }
    // A lock that is granted at this moment is given back when that is known.
    waiting.over = true;
    waiting.first.complete(NlmStatus.DENIED);
    if (waiting.wanted == null || waiting.wanted.cancel(false)) {
      end(waiting);
    }
  }

  /** Forgets lapsed locks in doubt: their clients would get no call, and are not waited for. */
  void forgetLapsed(OwnedFile file) {
    List.copyOf(file.waiting).stream()
        .filter(each -> each.inDoubt && each.lapsed)
        .forEach(this::giveBack);
  }

  /** GRANTED_RES. */
  void answered(WaitingLock waiting, NlmStatus status) {
    notices.answered(waiting, status);
  }
}
