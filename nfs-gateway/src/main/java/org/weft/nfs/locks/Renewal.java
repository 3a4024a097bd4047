package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.LockMode;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/** What becomes of locks whose session has ended. Confined to the executor of the table. */
final class Renewal {
  private static final Logger LOG = LoggerFactory.getLogger(Renewal.class);

  private final Function<LockRequest, CompletableFuture<OwnerLocks>> source;
  private final Executor home;

  Renewal(Function<LockRequest, CompletableFuture<OwnerLocks>> source, Executor home) {
    this.source = source;
    this.home = home;
  }

  /**
   * Takes over in a new session what was locked in one that has ended. What another has locked
   * meanwhile is lost; the protocol has no way to tell the client.
   */
  CompletableFuture<Void> renew(OwnedFile file) {
    file.lost = true;
    file.opened = source.apply(file.asked);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (boolean exclusive : new boolean[] {false, true}) {
      for (ByteRange range : file.held(exclusive)) {
        all = all.thenCompose(done -> reclaim(file, range, exclusive));
      }
    }
    return all.thenRunAsync(() -> file.lost = false, home);
  }

  /** Goes on in a new session without what was locked in the one that has ended. */
  CompletableFuture<Void> forget(OwnedFile file) {
    file.opened = source.apply(file.asked);
    file.lapsed(ByteRange.ALL);
    file.lost = false;
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> reclaim(OwnedFile file, ByteRange range, boolean exclusive) {
    LockMode mode = exclusive ? LockMode.EXCLUSIVE : LockMode.SHARED;
    return file.opened
        .thenCompose(locks -> reclaim(locks, range, mode))
        .exceptionally(LockStatus::of)
        .thenAcceptAsync(status -> reclaimed(file, range, status), home);
  }

  /** DENIED_NOLOCKS: it was not locked all the time, and is not any more. */
  private static CompletableFuture<NlmStatus> reclaim(
      OwnerLocks locks, ByteRange range, LockMode mode) {
    return locks
        .reclaim(range, mode)
        .thenCompose(
            whole ->
                whole
                    ? CompletableFuture.completedFuture(NlmStatus.GRANTED)
                    : locks.unlock(range).thenApply(done -> NlmStatus.DENIED_NOLOCKS));
  }

  private static void reclaimed(OwnedFile file, ByteRange range, NlmStatus status) {
    if (status == NlmStatus.DENIED_GRACE_PERIOD) {
      throw new CompletionException(
          new WeftException(ErrorCode.UNAVAILABLE, file.key.file() + ": its manager is away"));
    }
    if (status == NlmStatus.GRANTED) {
      return;
    }
    LOG.warn(
        "bytes {} of {}, locked by {} at {}, were not locked all the time ({}): the gateway's"
            + " session with the manager had ended",
        range,
        file.key.file(),
        file.key.owner().name(),
        file.key.owner().client(),
        status);
    file.lapsed(range);
  }
}
