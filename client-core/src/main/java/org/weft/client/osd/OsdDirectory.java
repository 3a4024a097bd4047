package org.weft.client.osd;

import java.util.List;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;

/** Where OSDs are to be reached. Thread-safe, never blocks. */
@FunctionalInterface
public interface OsdDirectory {
  /** Addresses of the OSD, the best first; empty for one that nothing is known of. */
  List<Endpoint> addressesOf(OsdId osd);

  /** True if the OSD is up and on the host of this process, as far as both hosts' names say so. */
  default boolean isNear(OsdId osd) {
    return false;
  }
}
