package org.weft.metadata.volume.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;

/**
 * What the cluster's table says of the volume itself and of the volumes whose entries it holds.
 *
 * @param takesNames false from when the volume was asked to go
 * @param nested where other volumes are in this one, or are about to be
 */
public record MountPoints(boolean takesNames, List<NodePath> nested) {
  /** Nothing is known of other volumes. */
  public static final MountPoints ALONE = new MountPoints(true, List.of());

  public MountPoints {
    nested = List.copyOf(nested);
  }

  /** What a table says; empty if it speaks of another epoch of the volume, or not of it at all. */
  public static Optional<MountPoints> of(ClusterTable table, long volumeId, long epoch) {
    Optional<VolumeRow> own =
        table.getVolumesList().stream()
            .filter(row -> row.getVolumeId() == volumeId && row.getEpoch() == epoch)
            .findFirst();
    return own.map(row -> of(table, row));
  }

  private static MountPoints of(ClusterTable table, VolumeRow own) {
    List<NodePath> nested = new ArrayList<>();
    for (VolumeRow row : table.getVolumesList()) {
      if (row.getParentVolumeId() == own.getVolumeId()) {
        pathWithin(own, row).ifPresent(nested::add);
      }
    }
    return new MountPoints(takesNames(own), nested);
  }

  /** True unless the volume was asked to go. */
  public static boolean takesNames(VolumeRow row) {
    return row.getState() != VolumeState.DELETING && row.getState() != VolumeState.EMPTIED;
  }

  /** Where the other volume stands in this one. */
  public static Optional<NodePath> pathWithin(VolumeRow own, VolumeRow other) {
    String prefix = own.getPath().equals("/") ? "/" : own.getPath() + "/";
    if (!other.getPath().startsWith(prefix)) {
      return Optional.empty();
    }
    try {
      String path = other.getPath().substring(prefix.length());
      return Optional.of(NodePath.fromMessage(NodeRef.newBuilder().setPath(path).build()))
          .filter(found -> !found.isBase());
    } catch (WeftException e) {
      return Optional.empty();
    }
  }
}
