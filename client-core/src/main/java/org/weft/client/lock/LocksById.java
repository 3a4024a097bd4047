package org.weft.client.lock;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.callback.Callbacks;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.volume.LockCalls;
import org.weft.client.volume.VolumeRouter;

/** Byte-range locks on files by their numbers, on behalf of others, for gateways. Thread-safe. */
public final class LocksById {
  private final VolumeRouter router;
  private final Callbacks callbacks;

  /**
   * @param callbacks where futures complete
   */
  public LocksById(VolumeRouter router, Callbacks callbacks) {
    this.router = router;
    this.callbacks = callbacks;
  }

  /**
   * A file as one owner locks ranges of it. The session has to be trusted. The manager looks at the
   * file with each call: STALE if it is gone. The file's owner may always lock it. Nothing is asked
   * for yet.
   */
  public CompletableFuture<RangeLocks> open(OnBehalfOf by, NodeId file, RangeOwner owner) {
    return callbacks.deliver(
        router.in(
            file.volume().value(),
            calls ->
                CompletableFuture.completedFuture(
                    new RangeLocks(
                        calls.locks(),
                        new LockCalls.Locker(
                            file.toString(),
                            file.object().value(),
                            ByteString.EMPTY,
                            owner.key(),
                            owner.space(),
                            owner.blocked(),
                            Optional.of(by)),
                        callbacks))));
  }
}
