package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.RepairsOfOsd;
import org.weft.protocol.wire.VolumeHealth;

/**
 * A manager's report on a volume. It is kept and shown as the manager has said it, within the
 * limits of the intake. Rules and views take the fields from the message. What several of them
 * compute from it stands here, and is computed once: rules ask for each OSD. Immutable.
 *
 * @param missedOsds OSDs that had components which wait to be rebuilt
 * @param clearedOsds drained or removed OSDs that nothing of the volume is on, each with the number
 *     of the drain of which that was found
 */
public record VolumeReport(
    VolumeHealth health, SortedSet<Integer> missedOsds, SortedMap<Integer, Long> clearedOsds) {
  public VolumeReport(VolumeHealth health) {
    this(health, missed(health), cleared(health));
  }

  private static SortedSet<Integer> missed(VolumeHealth health) {
    SortedSet<Integer> missed = new TreeSet<>();
    for (RepairsOfOsd each : health.getRepairsList()) {
      missed.add(each.getOsdId());
    }
    return Collections.unmodifiableSortedSet(missed);
  }

  private static SortedMap<Integer, Long> cleared(VolumeHealth health) {
    SortedMap<Integer, Long> drains = new TreeMap<>();
    int rows = Math.min(health.getClearedOsdCount(), health.getClearedDrainCount());
    for (int row = 0; row < rows; row++) {
      drains.put(health.getClearedOsd(row), health.getClearedDrain(row));
    }
    return Collections.unmodifiableSortedMap(drains);
  }

  public PartitionId volume() {
    return new PartitionId(health.getVolumeId());
  }

  /** Under which the manager serves it. */
  public long epoch() {
    return health.getEpoch();
  }

  /** Clients may use the volume. */
  public boolean isServing() {
    return health.getState().equals("serving");
  }
}
