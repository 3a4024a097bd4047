package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockedFile;
import org.weft.nfs.nlm.NlmStatus;

/**
 * Locks of owners of which this gateway knows nothing: another one locked for them, at whose
 * address it serves now.
 */
final class KeptLocks {
  private KeptLocks() {}

  /** The lock is of the request's owner, in whatever session. */
  static boolean isOwn(LockHolder holder, LockRequest request) {
    return holder.owner().equals(request.owner().key());
  }

  /**
   * Unlocks what the owner has in other sessions, or is kept of it; GRANTED also if that is
   * nothing. Never fails.
   */
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
                                : unlock(request, locks)))
        .exceptionally(LockStatus::of);
  }

  private static CompletableFuture<NlmStatus> unlock(LockRequest request, LockedFile locks) {
    return locks
        .takeOver(request.range(), LockMode.SHARED)
        .thenCompose(taken -> locks.unlock(request.range()))
        .handle(
            (done, failure) -> {
              NlmStatus status = failure == null ? NlmStatus.GRANTED : LockStatus.of(failure);
              // Another's: what is kept of this owner lapses by itself.
              return status == NlmStatus.DENIED ? NlmStatus.GRANTED : status;
            });
  }
}
