package org.weft.client.cluster;

import java.util.Optional;
import org.weft.protocol.wire.VolumeRow;

/** Which volume holds what path, and where its manager is to be found. Thread-safe. */
public interface VolumeDirectory extends ManagerDirectory {
  /**
   * The volume with the longest path that the path is, or lies below; empty before the first table.
   *
   * @param path absolute in the cluster, normalised
   */
  Optional<VolumeRow> volumeHolding(String path);

  /** The volume of that number. */
  Optional<VolumeRow> volume(long volumeId);

  /** Some volume whose path lies below this one and is not it. */
  Optional<VolumeRow> volumeBelow(String path);
}
