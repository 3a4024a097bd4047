package org.weft.nfs.locks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.client.LockedFile;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;

/**
 * Locks that clients wait for: they are told when they have them, and give back what they do not
 * want any more. Confined to the executor of the locks.
 */
final class LockWaits {
  /** A lock that is decided sooner is answered with that, a later one with BLOCKED. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration PATIENCE = Duration.ofDays(1);

  private final OwnedFiles files;
  private final LockAttempts attempts;
  private final GrantedNotices notices;
  private final Environment environment;
  private final Executor home;

  LockWaits(
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
    CompletableFuture<LockedFile> ready =
        file.inTurn(() -> attempts.debts().pay(file))
            .thenCompose(
                paid ->
                    paid == NlmStatus.GRANTED
                        ? file.opened
                        : CompletableFuture.failedFuture(
                            new RpcException(
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

  /** Clients ask from time to time: a word of ours may have been lost. */
  CompletableFuture<NlmStatus> askedAgain(WaitingLock waiting) {
    if (!waiting.granted) {
      return CompletableFuture.completedFuture(
          waiting.first.isDone() ? NlmStatus.BLOCKED : NlmStatus.DENIED_GRACE_PERIOD);
    }
    confirmed(waiting);
    return CompletableFuture.completedFuture(NlmStatus.GRANTED);
  }

  private void decided(WaitingLock waiting, Throwable failure) {
    if (failure != null) {
      // The client asks again, and is told then.
      waiting.first.complete(LockStatus.of(failure));
      end(waiting);
      return;
    }
    OwnedFile file = waiting.file;
    waiting.granted = true;
    waiting.before = file.within(waiting.request.range());
    var unused = attempts.holds(file, waiting.request);
    file.granted(waiting);
    if (waiting.over) {
      giveBack(waiting);
    } else if (waiting.first.complete(NlmStatus.GRANTED)) {
      end(waiting);
    } else {
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
   * It was granted, and its client does not want it or is not heard of. What else the owner waits
   * for there could be granted just before this is unlocked: its client asks for that anew.
   */
  private void giveBack(WaitingLock waiting) {
    OwnedFile file = waiting.file;
    waiting.over = true;
    file.waiting.remove(waiting);
    List.copyOf(file.waiting).stream()
        .filter(each -> !each.granted && each.request.range().overlaps(waiting.request.range()))
        .forEach(this::cancel);
    var unused = files.during(file, () -> restore(file, waiting));
  }

  /**
   * The owner has again what it had before; in between nobody else gets it. What was locked since
   * the lock was granted is another request's, and what was unlocked stays so: its client may have
   * started again.
   */
  private CompletableFuture<Void> restore(OwnedFile file, WaitingLock waiting) {
    file.told(waiting);
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (ByteRange range : waiting.own(waiting.before.shared()).list()) {
      done =
          done.thenCompose(x -> attempts.attempt(file, waiting.request.shared(range), false, 0))
              .thenApply(status -> null);
    }
    ByteRanges notHeld = waiting.before.notHeld(waiting.request.range());
    for (ByteRange range : waiting.own(notHeld).list()) {
      done = done.thenCompose(x -> attempts.debts().release(file, range)).thenApply(status -> null);
    }
    return done;
  }

  /** Its client does not want it any more, or is told to ask anew. */
  void cancel(WaitingLock waiting) {
    if (waiting.granted) {
      giveBack(waiting);
      return;
    }
    // If it is given at this moment it is given back when that is told.
    waiting.over = true;
    waiting.first.complete(NlmStatus.DENIED);
    if (waiting.wanted == null || waiting.wanted.cancel(false)) {
      end(waiting);
    }
  }

  /** GRANTED_RES. */
  void answered(WaitingLock waiting, NlmStatus status) {
    notices.answered(waiting, status);
  }
}
