package org.weft.metadata.serving.care;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.repair.LeftFiles;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.serving.sysmgr.TableOsdStates;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/** What the table of the cluster means to the repair of a volume. */
class RepairsInVolumeTest {
  private static final PartitionId VOLUME = new PartitionId(1);

  private final TableOsdStates states = new TableOsdStates("default", VOLUME);
  private final MetadataCache cache = new MetadataCache(2, CacheLimits.DEFAULT);

  private static OsdRow.Builder row(int osd, NodeState state) {
    return OsdRow.newBuilder().setOsdId(osd).setBladeSet("default").setState(state);
  }

  private RepairsInVolume repairs(RepairOptions options, LeftFiles.Share left) {
    states.changed(
        ClusterTable.newBuilder()
            .setVersion(3)
            .addOsds(row(1, NodeState.UP).setDraining(true).setDrainNumber(6))
            .addOsds(row(2, NodeState.DOWN))
            .addOsds(row(3, NodeState.DOWN).setRemoved(true).setDrainNumber(4))
            .addOsds(row(4, NodeState.UP))
            .build());
    return new RepairsInVolume(
        new CaredVolume(
            VOLUME, null, null, cache, states, null, null, null, null, null, null, () -> 0L),
        options,
        left,
        null);
  }

  @Test
  void osdsThatAreOutHaveTheNumbersOfTheirDrains() {
    RepairsInVolume repairs = repairs(RepairOptions.OFF, new LeftFiles(1).open());
    assertEquals(Map.of(new OsdId(1), 6L, new OsdId(3), 4L), states.out());
    assertEquals(Set.of(new OsdId(1), new OsdId(2), new OsdId(4)), repairs.remaining());
  }

  @Test
  void aVolumeFollowsItsBladeSetIntoAnotherOne() {
    VolumeRow row = VolumeRow.newBuilder().setVolumeId(1).setBladeSet("default").build();
    ClusterTable table =
        ClusterTable.newBuilder()
            .setVersion(3)
            .addOsds(row(1, NodeState.UP))
            .addOsds(row(2, NodeState.UP).setBladeSet("other"))
            .addVolumes(row)
            .build();
    states.changed(table);
    assertEquals(List.of(new OsdId(1)), states.osds());
    ClusterTable merged =
        ClusterTable.newBuilder()
            .setVersion(4)
            .addOsds(row(1, NodeState.UP).setBladeSet("other"))
            .addOsds(row(2, NodeState.UP).setBladeSet("other"))
            .addVolumes(row.toBuilder().setBladeSet("other"))
            .build();
    states.changed(merged);
    assertEquals(List.of(new OsdId(1), new OsdId(2)), states.osds());
    assertEquals("other", states.bladeSet());
    // One that is deleted still has its OSDs.
    states.changed(merged.toBuilder().setVersion(5).clearVolumes().build());
    assertEquals(List.of(new OsdId(1), new OsdId(2)), states.osds());
  }

  /** SysMgr was restored from before the OSD came: a map may name it, and it has its bytes. */
  @Test
  void anOsdOfAnotherBladeSetIsDownAndNotRemoved() {
    states.changed(
        ClusterTable.newBuilder()
            .setVersion(3)
            .addOsds(row(1, NodeState.UP))
            .addOsds(row(2, NodeState.UP).setBladeSet("other").setIncarnation(9))
            .addOsds(row(3, NodeState.DOWN).setBladeSet("other").setRemoved(true))
            .build());
    assertFalse(states.isRemoved(new OsdId(2)));
    assertTrue(states.isDown(new OsdId(2)));
    assertEquals(OptionalLong.of(9), states.wholeIncarnation(new OsdId(2)));
    assertTrue(states.isRemoved(new OsdId(3)));
    assertTrue(states.isRemoved(new OsdId(4)), "one that the table does not have");
    assertEquals(List.of(new OsdId(1)), states.osds());
  }

  @Test
  void waitingDrainIsReportedWhileRebuildingIsOff() {
    List<String> words = repairs(RepairOptions.OFF, new LeftFiles(1).open()).decisions();
    assertEquals(1, words.size());
    assertTrue(words.get(0).contains("repair.files-at-once is 0"), words.get(0));
    assertTrue(words.get(0).contains("osd-1"), words.get(0));
  }

  @Test
  void volumesShareTheRoomForRememberedFiles() {
    LeftFiles files = new LeftFiles(10);
    RepairsInVolume repairs = repairs(new RepairOptions(0, 4), files.open());
    assertEquals(List.of(), repairs.decisions());
    files.open().holds(10);
    List<String> words = repairs.decisions();
    assertEquals(1, words.size(), "one that was removed does not come back");
    assertTrue(words.get(0).contains("osd-2"), words.get(0));
  }
}
