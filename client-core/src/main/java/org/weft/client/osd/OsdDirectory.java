package org.weft.client.osd;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;

/** Finds the addresses of OSDs. Thread-safe, never blocks. */
@FunctionalInterface
public interface OsdDirectory {
  /** Addresses of the OSD, the best first; empty for one that nothing is known of. */
  List<Endpoint> addressesOf(OsdId osd);

  /** True if the OSD is up and on the host of this process, as far as both hosts' names say so. */
  default boolean isNear(OsdId osd) {
    return false;
  }

  /**
   * Looks for an OSD that nothing is known of. One that has just joined may be in the map of a new
   * file before this process has heard of it. Completes when {@link #addressesOf} knows more, or
   * when there is no more to know; never fails.
   */
  default CompletableFuture<Void> look(OsdId osd) {
    return CompletableFuture.completedFuture(null);
  }
}
