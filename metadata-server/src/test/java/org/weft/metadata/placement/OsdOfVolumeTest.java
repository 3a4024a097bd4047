package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** A quarantine ends for each volume apart (P 5.8). */
class OsdOfVolumeTest {
  private static final OsdRow LOSSY =
      OsdRow.newBuilder()
          .setOsdId(3)
          .setState(NodeState.QUARANTINED)
          .setQuarantine(2)
          .setLostWrites(true)
          .addAwaitedVolume(1)
          .addAwaitedVolume(2)
          .build();

  /** Volume 1 has given its word, and the OSD knows. */
  private static final OsdRow OPEN_TO_THE_FIRST =
      LOSSY.toBuilder().clearAwaitedVolume().addAwaitedVolume(2).addOpenVolume(1).build();

  private static OsdOfVolume to(long volume, OsdRow row) {
    return new OsdOfVolume(row, new PartitionId(volume));
  }

  private static OsdOfVolume to(long volume, OsdRow row, NodeState state) {
    return to(volume, row.toBuilder().setState(state).build());
  }

  @Test
  void osdIsUpOnlyForVolumesItHasOpened() {
    assertFalse(to(1, LOSSY).isUp());
    assertTrue(to(1, OPEN_TO_THE_FIRST).isUp());
    assertFalse(to(1, OPEN_TO_THE_FIRST).isGivenUp());
    assertFalse(to(1, OPEN_TO_THE_FIRST).isLossy());
    assertFalse(to(1, OPEN_TO_THE_FIRST).isToBeCompared());
    assertFalse(to(2, OPEN_TO_THE_FIRST).isUp());
    assertTrue(to(2, OPEN_TO_THE_FIRST).isGivenUp());
    assertTrue(to(2, OPEN_TO_THE_FIRST).isLossy());
    assertTrue(to(2, OPEN_TO_THE_FIRST).isToBeCompared());
  }

  @Test
  void voteUnknownToTheOsdOpensNothing() {
    OsdRow said = OPEN_TO_THE_FIRST.toBuilder().clearOpenVolume().build();
    assertFalse(to(1, said).isUp());
    assertTrue(to(1, said).lacksWrites());
    assertFalse(to(1, said).isGivenUp(), "it may serve the volume's clients by now");
    assertFalse(to(1, said).isToBeCompared());
  }

  @Test
  void silenceIsTheSameForAllVolumes() {
    for (long volume = 1; volume <= 2; volume++) {
      assertFalse(to(volume, OPEN_TO_THE_FIRST, NodeState.SUSPECT).isUp());
      assertFalse(to(volume, OPEN_TO_THE_FIRST, NodeState.DOWN).isUp());
      assertTrue(to(volume, OPEN_TO_THE_FIRST, NodeState.DOWN).isGivenUp());
      assertFalse(to(volume, OPEN_TO_THE_FIRST, NodeState.DOWN).servesManagers());
    }
    assertFalse(to(1, OPEN_TO_THE_FIRST, NodeState.SUSPECT).lacksWrites());
    assertTrue(to(2, OPEN_TO_THE_FIRST, NodeState.SUSPECT).lacksWrites());
  }

  @Test
  void aVolumeMadeSinceHasNoPartInTheQuarantine() {
    assertFalse(to(3, OPEN_TO_THE_FIRST).isToBeCompared());
    assertFalse(to(3, OPEN_TO_THE_FIRST).isUp(), "the OSD has not said that it serves it");
    assertTrue(to(3, OPEN_TO_THE_FIRST.toBuilder().addOpenVolume(3).build()).isUp());
  }

  @Test
  void theTableOfOneVolumeIsNotThatOfAnother() {
    var table =
        ClusterTable.newBuilder()
            .addOsds(OPEN_TO_THE_FIRST.toBuilder().setBladeSet("default"))
            .build();
    assertEquals(1, OsdPool.of(table, "default", new PartitionId(1)).upCount());
    assertEquals(0, OsdPool.of(table, "default", new PartitionId(2)).upCount());
  }
}
