package org.weft.metadata.volume.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** What a volume makes of the cluster's table. */
class ClusterKnownTest {
  private static OsdRow row(int id, NodeState state, boolean lostWrites) {
    return OsdRow.newBuilder()
        .setOsdId(id)
        .setHost("host-" + id)
        .setState(state)
        .setBladeSet("default")
        .setQuarantine(1)
        .setLostWrites(lostWrites)
        .build();
  }

  /** Judged without it, the others would seem fewer than they are, and it would be believed. */
  @Test
  void silentOsdThatLostPowerStillCounts() {
    ClusterTable table =
        ClusterTable.newBuilder()
            .setVersion(3)
            .addOsds(row(1, NodeState.QUARANTINED, true))
            .addOsds(row(2, NodeState.SUSPECT, true))
            .addOsds(row(3, NodeState.SUSPECT, false))
            .addOsds(row(4, NodeState.DOWN, true))
            .addOsds(row(5, NodeState.UP, false))
            .build();
    ClusterKnown known = ClusterKnown.of(table, "default", new PartitionId(1));
    assertEquals(Set.of(new OsdId(1), new OsdId(2)), known.lossy().keySet());
  }

  /** SysMgr was restored from before the OSD came: blocks it holds are not to be called lost. */
  @Test
  void anOsdOfAnotherBladeSetIsDownAndMayComeBack() {
    OsdRow other = row(2, NodeState.UP, false).toBuilder().setBladeSet("other").build();
    OsdRow gone =
        row(3, NodeState.DOWN, false).toBuilder().setBladeSet("other").setRemoved(true).build();
    ClusterTable table =
        ClusterTable.newBuilder()
            .setVersion(3)
            .addOsds(row(1, NodeState.UP, false))
            .addOsds(other)
            .addOsds(gone)
            .build();
    ClusterKnown known = ClusterKnown.of(table, "default", new PartitionId(1));
    assertTrue(known.isDown(new OsdId(2)));
    assertFalse(known.isRemoved(new OsdId(2)));
    assertTrue(known.isRemoved(new OsdId(3)));
    assertTrue(known.isRemoved(new OsdId(4)), "one that the table does not have");
  }
}
