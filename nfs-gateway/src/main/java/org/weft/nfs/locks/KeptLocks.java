package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockedFile;
import org.weft.nfs.nlm.NlmStatus;

/**
 * Locks of owners of which this gateway knows nothing: another one that is gone locked for them.
 */
final class KeptLocks {
  private KeptLocks() {}

  /** The lock is of the request's owner, in whatever session. */
  static boolean isOwn(LockHolder holder, LockRequest request) {
    return holder.owner().equals(request.owner().key());
  }

  /** Unlocks what a manager keeps of the owner; GRANTED also if that is nothing. Never fails. */
  static CompletableFuture<NlmStatus> unlock(
      LockRequest request, CompletableFuture<LockedFile> opened) {
    return opened
        .thenCompose(
            locks ->
                locks
                    .test(request.range(), LockMode.EXCLUSIVE)
                    .thenCompose(
                        holder ->
                            holder.isEmpty()
                                ? CompletableFuture.completedFuture(NlmStatus.GRANTED)
                                : unlock(request, locks, holder.get())))
        .exceptionally(LockStatus::of);
  }

  private static CompletableFuture<NlmStatus> unlock(
      LockRequest request, LockedFile locks, LockHolder holder) {
    if (isOwn(holder, request) && !holder.kept()) {
      return CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD);
    }
    return locks
        .reclaim(request.range(), LockMode.SHARED)
        .thenCompose(reclaimed -> locks.unlock(request.range()))
        .handle(
            (done, failure) -> {
              NlmStatus status = failure == null ? NlmStatus.GRANTED : LockStatus.of(failure);
              // Another's: what is kept of this owner lapses by itself.
              return status == NlmStatus.DENIED ? NlmStatus.GRANTED : status;
            });
  }
}
