package org.weft.nfs.locks;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;

/** Locks of a gateway that has not reached its cluster. */
public final class UnreachedLocks {
  private UnreachedLocks() {}

  public static ClientLocks in(Environment environment) {
    return new ClientLocks(
        (by, file, owner) ->
            CompletableFuture.failedFuture(new WeftException(ErrorCode.UNAVAILABLE, "")),
        (owner, message, asMessage) ->
            CompletableFuture.completedFuture(Optional.of(NlmStatus.GRANTED)),
        Watching.NONE,
        environment);
  }
}
