package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The last heartbeat of a node, as values.
 *
 * @param partitionsVersion keys and fence epochs that an OSD has stored
 * @param reserveBytes capacity kept back
 * @param durableCheckpoint last one of an OSD
 * @param problems one sentence each
 * @param durability "write-back" or "write-through"; empty for a manager
 * @param quarantine the last one that an OSD knows
 * @param quarantined an OSD refuses clients
 * @param open volumes whose clients an OSD serves although it is in quarantine
 * @param volumes what a manager says of those it serves
 * @param storeFailure why an OSD's store takes no changes any more; empty: it takes them
 * @param access what a manager says of OSDs that it cannot use, or can use again
 * @param look which OSDs gave a manager no sign of life; empty: it has not asked of late
 */
public record NodeReport(
    long partitionsVersion,
    long capacityBytes,
    long usedBytes,
    long reserveBytes,
    long objects,
    long durableCheckpoint,
    List<String> problems,
    String durability,
    long quarantine,
    boolean quarantined,
    SortedSet<PartitionId> open,
    List<VolumeReport> volumes,
    String storeFailure,
    List<OsdAccess> access,
    Optional<OsdLook> look) {
  public NodeReport {
    problems = List.copyOf(problems);
    open = Collections.unmodifiableSortedSet(new TreeSet<>(open));
    volumes = List.copyOf(volumes);
    access = List.copyOf(access);
  }

  /** What a manager says of that volume, under the epoch of its row. */
  public Optional<VolumeReport> of(Volume volume) {
    return volumes.stream()
        .filter(said -> said.volume().equals(volume.id()) && said.epoch() == volume.epoch())
        .findFirst();
  }

  /** Its store takes no changes until the OSD is started again. */
  public boolean storeFailed() {
    return !storeFailure.isEmpty();
  }
}
