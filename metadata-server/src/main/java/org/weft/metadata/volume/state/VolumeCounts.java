package org.weft.metadata.volume.state;

import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.OsdId;

/**
 * How much a volume holds, for status.
 *
 * @param writeGrants those that are being resolved included
 * @param files with a name; directories too
 * @param laggingCopies copies of metadata, and components given up, that wait for the return of
 *     their OSD
 * @param repairComponents that are missing and wait to be rebuilt
 * @param repairFiles that have such a component
 * @param repairsByOsd such components by the OSD that they were on
 * @param clearedOsds drained or removed OSDs without any part of it, each with the number of the
 *     drain for which that was found
 * @param softQuotas a sentence for each quota of which a soft limit is exceeded, at most a few
 * @param fileBytes all files by their lengths; empty if they are not counted
 * @param unsettledGrants that have ended, and are not known to be under checkpoints of all OSDs
 */
public record VolumeCounts(
    long sessions,
    long writeGrants,
    long unresolvedFiles,
    long files,
    long laggingCopies,
    long repairComponents,
    long repairFiles,
    SortedMap<OsdId, Integer> repairsByOsd,
    SortedMap<OsdId, Long> clearedOsds,
    List<String> softQuotas,
    OptionalLong fileBytes,
    long unsettledGrants) {
  public VolumeCounts {
    softQuotas = List.copyOf(softQuotas);
    clearedOsds = Collections.unmodifiableSortedMap(new TreeMap<>(clearedOsds));
  }

  public static final VolumeCounts NONE =
      new VolumeCounts(
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          Collections.emptySortedMap(),
          Collections.emptySortedMap(),
          List.of(),
          OptionalLong.empty(),
          0);

  /** Counts as they are now; to be called on the volume's thread. */
  public static VolumeCounts of(VolumeState state) {
    return new VolumeCounts(
        state.sessions().size(),
        state.grants().size(),
        state.grants().resolvingCount(),
        state.counters().files(),
        state.cache().laggingCopies(),
        state.repairs().size(),
        state.repairs().files(),
        state.repairs().countByOsd(),
        state.repairTables().cleared(),
        state.quotas().softExceeded(),
        state.quotas().fileBytes(),
        state.unsettled().size());
  }
}
