package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.lock.RangeOwner;

/** Gives files whose ranges can be locked. Thread-safe. */
@FunctionalInterface
public interface LockSource {
  /** Fails with a WeftException: UNAVAILABLE while the cluster was not reached. */
  CompletableFuture<OwnerLocks> open(OnBehalfOf by, NodeId file, RangeOwner owner);
}
