package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.nfs.nlm.NlmStatus;

/**
 * Locks of owners of which this gateway knows nothing: another one locked for them, at whose
 * address it serves now.
 *
 * <p>An UNLOCK takes what is kept of sessions that have ended, and nothing of sessions that go on:
 * an UNLOCK that comes late, when the address is already another gateway's, must not free what the
 * owner has locked there since. What such a session has, its gateway unlocks 45 s after it has lost
 * the address.
 */
final class KeptLocks {
  private static final Logger LOG = LoggerFactory.getLogger(KeptLocks.class);

  private KeptLocks() {}

  /** The lock is of the request's owner, in whatever session. */
  static boolean isOwn(LockHolder holder, LockRequest request) {
    return holder.owner().equals(request.owner().key());
  }

  /**
   * Unlocks what is kept of the owner; GRANTED also if that is nothing. Never fails.
   *
   * @return GRANTED as well where it is refused: what is kept of this owner lapses by itself
   */
  static CompletableFuture<NlmStatus> unlock(
      LockRequest request, CompletableFuture<FileLocks> opened) {
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
        .exceptionally(failure -> refused(request, LockStatus.of(failure)));
  }

  private static CompletableFuture<NlmStatus> unlock(LockRequest request, FileLocks locks) {
    return locks
        .reclaim(request.range(), LockMode.SHARED)
        .thenCompose(taken -> locks.unlock(request.range()))
        .thenApply(done -> NlmStatus.GRANTED);
  }

  /** Another's lock, the file's mode, or bounds of the manager are in the way. */
  private static NlmStatus refused(LockRequest request, NlmStatus status) {
    return switch (status) {
      case DENIED, DENIED_NOLOCKS, FAILED -> {
        LOG.debug(
            "what is kept of {} in {} lapses by itself: {}",
            request.owner().name(),
            request.file(),
            status);
        yield NlmStatus.GRANTED;
      }
      default -> status;
    };
  }
}
