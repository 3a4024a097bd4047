package org.weft.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.callback.Callbacks;
import org.weft.client.lock.RangeHolder;
import org.weft.client.lock.RangeLocks;
import org.weft.client.lock.RangeOwner;
import org.weft.client.volume.LockCalls;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.wire.AttributesReply;

/**
 * Byte-range locks on files (P 6.5), as POSIX and Linux have them. They are shared or exclusive, on
 * bytes that need not exist yet. Owners that the client names hold them. They are advisory: reads
 * and writes do not ask for them. A lock is in the journal of the volume's manager when its future
 * completes, and survives that manager. It ends when it is unlocked, or with the client's session,
 * some ten seconds after the client was heard last; unless {@link ClientOptions.Builder#keepLocks}
 * says otherwise.
 *
 * <p>Thread-safe. Futures complete as those of {@link WeftFileSystem}.
 */
public final class FileLocks {
  private final VolumeRouter router;
  private final Callbacks callbacks;

  FileLocks(VolumeRouter router, Callbacks callbacks) {
    this.router = router;
    this.callbacks = callbacks;
  }

  /**
   * A file as one owner locks ranges of it, whatever the file's name is afterwards. The file is not
   * open by that: if it loses its last name while no client has it open, it goes with its locks.
   */
  public CompletableFuture<LockedFile> open(WeftPath path, LockOwner owner) {
    return callbacks.deliver(
        router.at(
            path.toString(),
            calls ->
                calls
                    .nodes()
                    .lookup(path.toString())
                    .thenApply(
                        found ->
                            new LockedFile(
                                new RangeLocks(
                                    calls.locks(),
                                    locker(path, found, owner.range()),
                                    callbacks)))));
  }

  private static LockCalls.Locker locker(WeftPath path, AttributesReply found, RangeOwner owner) {
    return new LockCalls.Locker(
        path.toString(),
        found.getAttributes().getObjectId(),
        found.getHandle(),
        owner.key(),
        owner.space(),
        owner.blocked(),
        Optional.empty());
  }

  /** All locks on a file, by owner and in ascending order. */
  public CompletableFuture<LockList> list(WeftPath path) {
    return callbacks.deliver(
        router
            .at(path.toString(), calls -> calls.locks().list(path.toString()))
            .thenApply(
                reply ->
                    new LockList(
                        reply.getHolderList().stream()
                            .map(RangeHolder::fromMessage)
                            .map(LockHolder::of)
                            .toList(),
                        reply.getTotal())));
  }
}
