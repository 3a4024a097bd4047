package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.client.LockOwner;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;

/** Gives files whose ranges can be locked. Thread-safe. */
@FunctionalInterface
public interface LockSource {
  /** Fails with a WeftException: UNAVAILABLE while the cluster was not reached. */
  CompletableFuture<OwnerLocks> open(OnBehalfOf by, NodeId file, LockOwner owner);
}
