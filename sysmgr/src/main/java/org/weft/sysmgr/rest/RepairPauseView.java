package org.weft.sysmgr.rest;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.RepairPauseRow;

/**
 * A pause of rebuilds and drains, as JSON and the page show it.
 *
 * @param endMillis wall time at which it ends by itself
 */
record RepairPauseView(String reason, String user, long sinceMillis, long endMillis) {
  /** Null where they are not paused: JSON has no such field then. */
  static RepairPauseView of(ClusterTable table) {
    if (!table.hasRepairPause()) {
      return null;
    }
    RepairPauseRow row = table.getRepairPause();
    return new RepairPauseView(
        row.getReason(), row.getUser(), row.getSinceMillis(), row.getEndMillis());
  }

  /** "Rebuilds and drains are paused until ...". */
  String sentence() {
    return "Rebuilds and drains are paused until %s, by %s: %s."
        .formatted(Instant.ofEpochMilli(endMillis).truncatedTo(ChronoUnit.SECONDS), user, reason);
  }
}
