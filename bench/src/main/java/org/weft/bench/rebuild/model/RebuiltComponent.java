package org.weft.bench.rebuild.model;

import java.util.List;
import org.weft.protocol.id.OsdId;

/**
 * A component that is whole again.
 *
 * @param left how many more of its group could be lost until it was
 * @param partners OSDs with what was left of its group
 * @param finishedNanos after the rebuild began
 */
record RebuiltComponent(
    long bytes, int left, List<OsdId> partners, OsdId target, long finishedNanos) {
  RebuiltComponent {
    partners = List.copyOf(partners);
  }
}
