package org.weft.sysmgr.rest;

import java.util.List;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.DrainWaitRow;
import org.weft.sysmgr.configuration.node.NodeKey;

/**
 * Something that a drain waits for, as JSON shows it.
 *
 * @param reason a stable word
 * @param volume path of the volume that waits; empty: it is not about one
 * @param files of that volume; 0: they are not counted
 * @param osds that something waits for
 * @param what for people
 */
record DrainWaitView(String reason, String volume, long files, List<Integer> osds, String what) {
  /** Of one drain. */
  static List<DrainWaitView> of(ClusterStatus status, NodeKey drained) {
    String subject = drained.toString();
    return status.getDrainWaitsList().stream()
        .filter(row -> row.getSubject().equals(subject))
        .map(DrainWaitView::of)
        .toList();
  }

  private static DrainWaitView of(DrainWaitRow row) {
    return new DrainWaitView(
        row.getReason(),
        row.getVolume(),
        row.getFiles(),
        List.copyOf(row.getOsdList()),
        row.getWhat());
  }
}
