package org.weft.nfs.locks;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.LockMode;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;

/**
 * Calls to managers for an owner. Callers ask in the owner's turn. Confined to the executor of the
 * locks; futures complete there.
 */
final class LockAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(LockAttempts.class);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final LockSource source;
  private final Environment environment;
  private final Executor home;
  private final Function<OwnedFile, CompletableFuture<Void>> renew;
  private final Debts debts;

  /**
   * @param renew takes over in a new session what an owner had in one that has ended
   * @param paid see {@link Debts}
   */
  LockAttempts(
      LockSource source,
      Environment environment,
      Executor home,
      Function<OwnedFile, CompletableFuture<Void>> renew,
      Consumer<OwnedFile> paid) {
    this.source = source;
    this.environment = environment;
    this.home = home;
    this.renew = renew;
    this.debts = new Debts(environment, home, this::release, paid);
  }

  /** What clients have locked no more. */
  Debts debts() {
    return debts;
  }

  static LockMode mode(LockRequest request) {
    return request.exclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
  }

  private static RangeOwner owner(LockRequest request) {
    return new RangeOwner(request.owner().key(), true, request.owner().space());
  }

  CompletableFuture<OwnerLocks> open(LockRequest request) {
    return source.open(request.by(), request.file(), owner(request));
  }

  /** Asks; where the session has ended in between once more, with what could be reclaimed. */
  private <T> CompletableFuture<T> ask(
      OwnedFile file, Function<OwnerLocks, CompletableFuture<T>> call) {
    return file.opened
        .thenCompose(call)
        .exceptionallyComposeAsync(
            failure ->
                WeftException.of(failure).code() == ErrorCode.SESSION_EXPIRED
                    ? renew.apply(file).thenCompose(done -> file.opened.thenCompose(call))
                    : CompletableFuture.failedFuture(failure),
            home);
  }

  /**
   * Locks, or reclaims. Never fails.
   *
   * @param deadlineNanos until then it is tried again by what may be over soon
   */
  CompletableFuture<NlmStatus> attempt(
      OwnedFile file, LockRequest request, boolean reclaim, long deadlineNanos) {
    CompletableFuture<NlmStatus> asked = reclaim ? reclaimed(file, request) : locked(file, request);
    return asked
        .exceptionally(LockStatus::of)
        .thenCompose(
            status ->
                status == NlmStatus.DENIED
                    ? denied(file, request, reclaim)
                    : CompletableFuture.completedFuture(status))
        .thenComposeAsync(
            status ->
                status == NlmStatus.DENIED_GRACE_PERIOD
                        && environment.ticker().nowNanos() - deadlineNanos < 0
                    ? after(PAUSE_NANOS)
                        .thenCompose(x -> attempt(file, request, reclaim, deadlineNanos))
                    : CompletableFuture.completedFuture(status),
            home);
  }

  private CompletableFuture<NlmStatus> locked(OwnedFile file, LockRequest request) {
    return ask(file, locks -> locks.lockAgain(request.range(), mode(request), Duration.ZERO))
        .thenApplyAsync(done -> holds(file, request), home);
  }

  /** DENIED_GRACE_PERIOD if its session has ended since: another owner may have it by now. */
  private NlmStatus holds(OwnedFile file, LockRequest request) {
    file.locked(request.range(), request.exclusive(), environment.clock().nowMillis());
    return file.hasLostSession() ? NlmStatus.DENIED_GRACE_PERIOD : NlmStatus.GRANTED;
  }

  /**
   * Reclaims what the owner held all the time, at this gateway or an earlier one. Another owner may
   * have held the rest meanwhile, so the client is then told that it has lost the lock.
   */
  private CompletableFuture<NlmStatus> reclaimed(OwnedFile file, LockRequest request) {
    return ask(file, locks -> locks.takeOver(request.range(), mode(request)))
        .thenComposeAsync(
            whole -> {
              if (whole) {
                return CompletableFuture.completedFuture(holds(file, request));
              }
              LOG.warn(
                  "{} at {} reclaims bytes {} of {}, which it has not held all the time: refused",
                  request.owner().name(),
                  request.owner().client(),
                  request.range(),
                  request.file());
              return debts.release(file, request.range()).thenApply(done -> NlmStatus.DENIED);
            },
            home);
  }

  private CompletableFuture<Void> after(long nanos) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    environment.scheduler().schedule(nanos, home, () -> passed.complete(null));
    return passed;
  }

  /**
   * The client shall ask again if the conflict may end soon. One such conflict is its own lock in
   * the session of a gateway that has just gone. The other is a lock kept for an owner that may
   * reclaim it (the grace period).
   */
  private CompletableFuture<NlmStatus> denied(
      OwnedFile file, LockRequest request, boolean reclaim) {
    return file.opened
        .thenCompose(locks -> locks.test(request.range(), mode(request)))
        .handle(
            (holder, failure) ->
                failure == null
                        && holder
                            .filter(
                                each ->
                                    InheritedLocks.isOwn(each, request) || !reclaim && each.kept())
                            .isPresent()
                    ? NlmStatus.DENIED_GRACE_PERIOD
                    : NlmStatus.DENIED);
  }

  /** Locks again what the owner has, as it has it; a failure is logged. Never fails. */
  CompletableFuture<Void> again(OwnedFile file, ByteRange range, LockMode mode) {
    return ask(file, locks -> locks.lockAgain(range, mode, Duration.ZERO))
        .exceptionally(
            failure -> {
              LOG.warn(
                  "bytes {} of {} of {} are not {} again: {}",
                  range,
                  file.key.file(),
                  file.key.owner().name(),
                  mode,
                  LockStatus.of(failure));
              return null;
            });
  }

  /** Unlocks what this gateway has. Never fails. */
  CompletableFuture<NlmStatus> release(OwnedFile file, ByteRange range) {
    return ask(file, locks -> locks.unlock(range))
        .handleAsync(
            (heldAll, failure) -> {
              if (failure != null) {
                return LockStatus.of(failure);
              }
              file.unlocked(range);
              return NlmStatus.GRANTED;
            },
            home);
  }
}
