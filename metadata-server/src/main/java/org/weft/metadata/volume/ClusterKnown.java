package org.weft.metadata.volume;

import org.weft.metadata.placement.OsdPool;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.OsdRow;

/**
 * What the manager knows of the cluster around its volume.
 *
 * @param tableVersion of the table that all this is from
 * @param pool the OSDs of the volume's BladeSet
 * @param capacityBytes of all of them
 * @param usedBytes of all of them
 * @param reserveBytes kept back on all of them
 */
public record ClusterKnown(
    long tableVersion, OsdPool pool, long capacityBytes, long usedBytes, long reserveBytes) {
  /** Before the first table has been seen. */
  public static final ClusterKnown NOTHING = new ClusterKnown(0, OsdPool.EMPTY, 0, 0, 0);

  /**
   * SysMgr has given up on the OSD: it calls it down, keeps it in quarantine with lost writes, or
   * has it no more. Suspicion is not enough, although P 5.8 would take it: who was only suspected
   * comes back without quarantine, and readers with an older map would believe the bytes it missed.
   */
  boolean isGivenUp(OsdId osd) {
    return tableVersion != 0
        && pool.osds().stream().noneMatch(each -> each.osd().equals(osd) && !each.givenUp());
  }

  public static ClusterKnown of(ClusterTable table, String bladeSet) {
    long capacityBytes = 0;
    long usedBytes = 0;
    long reserveBytes = 0;
    for (OsdRow row : table.getOsdsList()) {
      if (row.getBladeSet().equals(bladeSet)) {
        capacityBytes += row.getCapacityBytes();
        usedBytes += row.getUsedBytes();
        reserveBytes += row.getReserveBytes();
      }
    }
    return new ClusterKnown(
        table.getVersion(), OsdPool.of(table, bladeSet), capacityBytes, usedBytes, reserveBytes);
  }
}
