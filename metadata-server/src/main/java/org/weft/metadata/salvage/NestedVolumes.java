package org.weft.metadata.salvage;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.volume.execution.MountPoints;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.VolumeRow;

/**
 * Volumes in this one, as SysMgr's table has them: their names are in directories here.
 *
 * @param known all of them, whatever becomes of them
 * @param named those whose names have to be here, with their paths
 */
public record NestedVolumes(SortedSet<PartitionId> known, SortedMap<PartitionId, NodePath> named) {
  /**
   * @param epoch in which the volume is recovered: nothing is made or deleted in it since
   * @throws IllegalStateException if the table is older than that
   */
  public static NestedVolumes of(ClusterTable table, PartitionId volume, long epoch) {
    VolumeRow own =
        table.getVolumesList().stream()
            .filter(row -> row.getVolumeId() == volume.value() && row.getEpoch() >= epoch)
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("SysMgr's table of volumes is not here yet"));
    SortedSet<PartitionId> known = new TreeSet<>();
    SortedMap<PartitionId, NodePath> named = new TreeMap<>();
    for (VolumeRow row : table.getVolumesList()) {
      if (row.getParentVolumeId() == volume.value() && row.getVolumeId() != volume.value()) {
        PartitionId nested = new PartitionId(row.getVolumeId());
        known.add(nested);
        boolean isNamed =
            switch (row.getState()) {
              case ACTIVE, DELETING, VOLUME_STATE_UNSPECIFIED -> true;
              default -> false;
            };
        if (isNamed) {
          MountPoints.pathWithin(own, row).ifPresent(path -> named.put(nested, path));
        }
      }
    }
    return new NestedVolumes(known, named);
  }
}
