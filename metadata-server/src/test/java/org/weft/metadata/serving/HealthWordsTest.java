package org.weft.metadata.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.metadata.backup.PairStatus;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.state.VolumeCounts;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.VolumeHealth;

/** What a volume counts is what its manager's heartbeat says. */
class HealthWordsTest {
  private static VolumeHealth said(VolumeCounts counts) {
    VolumeAssignment assignment =
        new VolumeAssignment(
            new VolumeSettings(new PartitionId(1), 2, 0, 1, "default", "weft", "/"),
            3,
            true,
            true,
            new WorkingKeys(1, new byte[32]),
            1,
            0);
    return HealthWords.of(
        assignment,
        HostState.SERVING,
        true,
        counts,
        null,
        new PairStatus(PairStatus.State.NONE, 0, Optional.empty()),
        HealthWords.Care.of(Optional.empty()));
  }

  @Test
  void healthTextStatesTheCounts() {
    VolumeHealth health =
        said(
            new VolumeCounts(
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                new TreeMap<>(),
                new TreeMap<>(),
                List.of("a tree is large"),
                OptionalLong.of(8),
                9));
    assertEquals(1, health.getSessions());
    assertEquals(2, health.getWriteGrants());
    assertEquals(3, health.getUnresolvedFiles());
    assertEquals(4, health.getFiles());
    assertEquals(5, health.getLaggingCopies());
    assertEquals(6, health.getRepairComponents());
    assertEquals(7, health.getRepairFiles());
    assertEquals(List.of("a tree is large"), health.getSoftQuotaList());
    assertEquals(8, health.getFileBytes());
    assertEquals(9, health.getUnsettledGrants());
  }

  @Test
  void healthTextStatesThatNothingIsUnsettled() {
    assertTrue(said(VolumeCounts.NONE).hasUnsettledGrants());
  }
}
