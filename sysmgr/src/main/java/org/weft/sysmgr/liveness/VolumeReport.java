package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClearedOsd;
import org.weft.protocol.wire.RepairsOfOsd;
import org.weft.protocol.wire.VolumeHealth;

/**
 * What a manager says of a volume. It is kept and shown as the manager has said it, within the
 * limits of the intake: rules and views take the fields from the message. What several of them
 * compute from it stands here. Immutable.
 */
public record VolumeReport(VolumeHealth health) {
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

  /** OSDs that had components which wait to be rebuilt. */
  public SortedSet<Integer> missedOsds() {
    SortedSet<Integer> missed = new TreeSet<>();
    for (RepairsOfOsd each : health.getRepairsList()) {
      missed.add(each.getOsdId());
    }
    return Collections.unmodifiableSortedSet(missed);
  }

  /**
   * Drained or removed OSDs that nothing of the volume is on, each with the number of the drain of
   * which that was found.
   */
  public SortedMap<Integer, Long> clearedOsds() {
    SortedMap<Integer, Long> drains = new TreeMap<>();
    for (ClearedOsd each : health.getClearedList()) {
      drains.put(each.getOsdId(), each.getDrain());
    }
    return Collections.unmodifiableSortedMap(drains);
  }
}
