package org.weft.metadata.volume.state;

import java.util.Objects;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.VolumeRow;

/**
 * Settings of a volume that stay while it is served.
 *
 * @param maxParityUnits layouts with more are refused
 * @param defaultDataUnits of new files; 0: chosen from the number of OSDs (P 4.1)
 * @param bladeSet that it was in when the manager was given it; a merge changes that
 * @param superuser the user that made the cluster
 * @param path of the volume's root directory in the cluster: "/" or "/a/b"
 */
public record VolumeSettings(
    PartitionId volume,
    int maxParityUnits,
    int defaultDataUnits,
    int defaultParityUnits,
    String bladeSet,
    String superuser,
    String path) {
  private static final int MIN_META_COPIES = 2;

  public VolumeSettings {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(bladeSet, "bladeSet");
    Objects.requireNonNull(superuser, "superuser");
    Objects.requireNonNull(path, "path");
  }

  /** The volume at "/". */
  public VolumeSettings(
      PartitionId volume,
      int maxParityUnits,
      int defaultDataUnits,
      int defaultParityUnits,
      String bladeSet,
      String superuser) {
    this(volume, maxParityUnits, defaultDataUnits, defaultParityUnits, bladeSet, superuser, "/");
  }

  public static VolumeSettings of(VolumeRow row) {
    return new VolumeSettings(
        new PartitionId(row.getVolumeId()),
        row.getMaxParity(),
        row.getDefaultDataUnits(),
        row.getDefaultParityUnits(),
        row.getBladeSet(),
        row.getSuperuser(),
        row.getPath().isEmpty() ? "/" : row.getPath());
  }

  /** Copies of directories and attributes (P 4.4). */
  public int metaCopies() {
    return Math.max(MIN_META_COPIES, maxParityUnits + 1);
  }

  /** How wide a file is whose creator and directory ask for nothing. */
  public PlacementSpec defaultLayout() {
    return PlacementSpec.of(defaultDataUnits, defaultParityUnits);
  }
}
