package org.weft.nfs.locks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockedFile;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Locks of owners of which this gateway knows nothing: another one locked for them, at whose
 * address it serves now.
 */
final class KeptLocks {
  /** Of one UNLOCK, before its client is told to ask again. */
  private static final int MOST_STEPS = 200;

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
                                : new Unlocking(request, locks).next()))
        .exceptionally(LockStatus::of);
  }

  /**
   * Takes over what the owner has of a range, and unlocks it. A range of which another has a part
   * alone is not taken over as a whole: then the pieces beside that part are.
   */
  private static final class Unlocking {
    private final LockRequest request;
    private final LockedFile locks;
    private final Deque<ByteRange> left = new ArrayDeque<>();
    private int steps;

    Unlocking(LockRequest request, LockedFile locks) {
      this.request = request;
      this.locks = locks;
      left.add(request.range());
    }

    CompletableFuture<NlmStatus> next() {
      if (left.isEmpty()) {
        return CompletableFuture.completedFuture(NlmStatus.GRANTED);
      }
      if (++steps > MOST_STEPS) {
        // What was done stays done: the client asks for the rest.
        return CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD);
      }
      ByteRange piece = left.remove();
      return locks
          .takeOver(piece, LockMode.SHARED)
          .thenCompose(taken -> locks.unlock(piece))
          .thenCompose(done -> next())
          .exceptionallyCompose(
              failure ->
                  RpcException.of(failure).code() == ErrorCode.LOCKED
                      ? beside(piece)
                      : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<NlmStatus> beside(ByteRange piece) {
      return locks
          .test(piece, LockMode.SHARED)
          .thenCompose(
              holder -> {
                holder.ifPresentOrElse(each -> split(piece, each), () -> left.add(piece));
                return next();
              });
    }

    /** Who has a part alone shares no byte of it with the owner, unless it is the owner. */
    private void split(ByteRange piece, LockHolder holder) {
      ByteRanges part = ByteRanges.NONE.plus(holder.range()).within(piece);
      left.addAll(ByteRanges.NONE.plus(piece).minus(part).list());
      if (isOwn(holder, request)) {
        left.addAll(part.list());
      }
    }
  }
}
