package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.LockMode;
import org.weft.client.lock.RangeHolder;
import org.weft.nfs.nlm.NlmStatus;

/**
 * Locks of owners that another gateway has locked, at whose address this gateway serves now.
 *
 * <p>An UNLOCK takes from living sessions only while this gateway serves the address. A late UNLOCK
 * may come when the address is already another gateway's. It must not free what the owner has
 * locked there since. This is checked just before the manager is asked.
 */
final class InheritedLocks {
  private static final Logger LOG = LoggerFactory.getLogger(InheritedLocks.class);

  private InheritedLocks() {}

  /** The lock is of the request's owner, in whatever session. */
  static boolean isOwn(RangeHolder holder, LockRequest request) {
    return holder.owner().equals(request.owner().key());
  }

  /**
   * Unlocks what is kept of the owner; GRANTED also if that is nothing. Never fails.
   *
   * @return GRANTED as well where it is refused: what is kept of this owner lapses by itself
   */
  static CompletableFuture<NlmStatus> unlock(
      LockRequest request, CompletableFuture<OwnerLocks> opened, BooleanSupplier serves) {
    return opened
        .thenCompose(
            locks ->
                locks
                    .test(request.range(), LockMode.EXCLUSIVE)
                    .thenCompose(
                        holder ->
                            holder.isEmpty()
                                ? CompletableFuture.completedFuture(NlmStatus.GRANTED)
                                : unlock(request, locks, serves.getAsBoolean())))
        .exceptionally(failure -> refused(request, LockStatus.of(failure)));
  }

  private static CompletableFuture<NlmStatus> unlock(
      LockRequest request, OwnerLocks locks, boolean serves) {
    CompletableFuture<Boolean> taking =
        serves
            ? locks.takeOver(request.range(), LockMode.SHARED)
            : locks.reclaim(request.range(), LockMode.SHARED);
    return taking
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
