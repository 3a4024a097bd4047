package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.nfs.nlm.NlmStatus;

/**
 * Share reservations. One says how a client's owner has opened a file, and what it denies to others
 * meanwhile. An owner has one reservation of a file; a later one takes its place. Confined to the
 * executor of the locks.
 *
 * <p>A refused reservation leaves the owner what it had. Locks that it took before the refusal go
 * back at once. Another owner that asks in that moment may be refused because of them.
 */
final class Reservations {
  private final OwnedFiles files;
  private final LockAttempts attempts;

  Reservations(OwnedFiles files, LockAttempts attempts) {
    this.files = files;
    this.attempts = attempts;
  }

  /**
   * Reserves in the owner's turn. Never fails.
   *
   * @param deadlineNanos until then it is tried again by what may be over soon
   */
  CompletableFuture<NlmStatus> reserve(
      OwnedFile file,
      LockRequest request,
      ReservedRanges wanted,
      boolean reclaim,
      long deadlineNanos) {
    return files.during(
        file,
        () ->
            attempts
                .debts()
                .pay(file)
                .thenCompose(
                    paid ->
                        paid == NlmStatus.GRANTED
                            ? inTurn(file, request, wanted, reclaim, deadlineNanos)
                            : CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD)));
  }

  private CompletableFuture<NlmStatus> inTurn(
      OwnedFile file,
      LockRequest request,
      ReservedRanges wanted,
      boolean reclaim,
      long deadlineNanos) {
    ReservedRanges before = ReservedRanges.of(file);
    // All of it: the manager may have given up what this gateway believes to have.
    CompletableFuture<NlmStatus> taken =
        LockStatus.whileGranted(
            wanted.beyond(ReservedRanges.NONE),
            step ->
                attempts.attempt(
                    file, request.of(step.range(), step.exclusive()), reclaim, deadlineNanos));
    return taken
        .thenApply(status -> whole(file, wanted, status))
        .thenCompose(
            status ->
                giveBack(file, status == NlmStatus.GRANTED ? wanted : before)
                    .thenApply(done -> status));
  }

  /** GRANTED only if no part of it lapsed while the rest was asked for: its client asks again. */
  private static NlmStatus whole(OwnedFile file, ReservedRanges wanted, NlmStatus status) {
    boolean isHeld = !file.hasLostSession() && wanted.beyond(ReservedRanges.of(file)).isEmpty();
    return status == NlmStatus.GRANTED && !isHeld ? NlmStatus.DENIED_GRACE_PERIOD : status;
  }

  /** Gives back all but what stays. A failed release is repeated later. */
  private CompletableFuture<NlmStatus> giveBack(OwnedFile file, ReservedRanges staying) {
    CompletableFuture<NlmStatus> gone = CompletableFuture.completedFuture(NlmStatus.GRANTED);
    for (ReservedRanges.Step step : ReservedRanges.of(file).beyond(staying)) {
      gone = gone.thenCompose(done -> attempts.debts().release(file, step.range()));
    }
    return gone;
  }
}
