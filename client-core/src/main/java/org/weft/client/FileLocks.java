package org.weft.client;

import java.util.concurrent.CompletableFuture;
import org.weft.client.callback.Callbacks;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.volume.VolumeRouter;

/**
 * Byte-range locks on files (P 6.5), as POSIX and Linux have them: shared or exclusive, on bytes
 * that there need not be, given to owners that the client names. They are advisory: reads and
 * writes do not ask for them. A lock is in the journal of the volume's manager when its future
 * completes, and survives that manager. It ends when it is unlocked, or with the client's session,
 * some ten seconds after the client was heard last; unless {@link ClientOptions#keepLocks} says
 * otherwise.
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
                        found -> LockedFile.of(path, calls.locks(), found, owner, callbacks))));
  }

  /**
   * A file by its number as one owner locks ranges of it, on behalf of another: for gateways, whose
   * session is trusted. The manager looks at the file with each call: STALE if it is gone. The
   * file's owner may always lock it. Nothing is asked for yet.
   */
  public CompletableFuture<LockedFile> open(OnBehalfOf by, NodeId file, LockOwner owner) {
    return callbacks.deliver(
        router.in(
            file.volume().value(),
            calls ->
                CompletableFuture.completedFuture(
                    LockedFile.of(file, calls.locks(), by, owner, callbacks))));
  }

  /** All locks on a file, by owner and in ascending order. */
  public CompletableFuture<LockList> list(WeftPath path) {
    return callbacks.deliver(
        router
            .at(path.toString(), calls -> calls.locks().list(path.toString()))
            .thenApply(
                reply ->
                    new LockList(
                        reply.getHolderList().stream().map(LockHolder::fromMessage).toList(),
                        reply.getTotal())));
  }
}
