package org.weft.metadata.volume.execution;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdOfVolume;
import org.weft.metadata.placement.OsdPool;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.OsdRow;

/**
 * The cluster around a volume, as its manager knows it.
 *
 * @param tableVersion of the table that all this is from
 * @param pool the OSDs of the volume's BladeSet
 * @param capacityBytes of all of them
 * @param usedBytes of all of them
 * @param reserveBytes kept back on all of them
 * @param lossy OSDs whose machines went down uncleanly, until the volume's clients are served again
 * @param removed OSDs of the BladeSet that an operator has removed from the cluster, each with the
 *     number of the drain that it was in; 0: none
 * @param elsewhere OSDs of other BladeSets, without those that were removed
 */
public record ClusterKnown(
    long tableVersion,
    OsdPool pool,
    long capacityBytes,
    long usedBytes,
    long reserveBytes,
    SortedMap<OsdId, Lossy> lossy,
    SortedMap<OsdId, Long> removed,
    SortedSet<OsdId> elsewhere) {
  /**
   * An OSD that lost power (P 5.9).
   *
   * @param quarantine number of the quarantine that it is in for it
   * @param awaited the volume has not voted yet. It may still have to decide what was lost of its
   *     files
   */
  public record Lossy(long quarantine, boolean awaited) {}

  /** Before the first table has been seen. */
  public static final ClusterKnown NOTHING = new ClusterKnown(0, OsdPool.EMPTY, 0, 0, 0);

  public ClusterKnown {
    lossy = Collections.unmodifiableSortedMap(new TreeMap<>(lossy));
    removed = Collections.unmodifiableSortedMap(new TreeMap<>(removed));
    elsewhere = Collections.unmodifiableSortedSet(new TreeSet<>(elsewhere));
  }

  /** OSDs of which none has lost power. */
  public ClusterKnown(
      long tableVersion, OsdPool pool, long capacityBytes, long usedBytes, long reserveBytes) {
    this(
        tableVersion,
        pool,
        capacityBytes,
        usedBytes,
        reserveBytes,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeSet<>());
  }

  /**
   * SysMgr has given up on the OSD: it calls it down, keeps it in quarantine with lost writes, or
   * has it no more. Suspicion is not enough (P 5.8). An OSD that was only suspected comes back
   * without quarantine, and readers with an older map would believe what it holds.
   */
  public boolean isGivenUp(OsdId osd) {
    return tableVersion != 0
        && pool.osds().stream().noneMatch(each -> each.osd().equals(osd) && !each.givenUp());
  }

  /**
   * The cluster does not have the OSD any more: it cannot come back with what it held. An OSD that
   * the table has in another BladeSet is merely down. An OSD leaves a BladeSet when nothing names
   * it. So a map that does name it is newer than the table, which was restored (P 4.5).
   */
  public boolean isRemoved(OsdId osd) {
    return tableVersion != 0
        && !elsewhere.contains(osd)
        && pool.osds().stream().noneMatch(each -> each.osd().equals(osd));
  }

  /** SysMgr calls the OSD down, or the cluster does not have it any more. */
  public boolean isDown(OsdId osd) {
    return isGivenUp(osd) && !lossy.containsKey(osd);
  }

  /**
   * Number of the drain of an OSD that is drained or removed, 0 if it was removed without being
   * drained; empty for any other.
   */
  public OptionalLong drainOf(OsdId osd) {
    if (removed.containsKey(osd)) {
      return OptionalLong.of(removed.get(osd));
    }
    return pool.osds().stream()
        .filter(each -> each.osd().equals(osd) && each.draining())
        .mapToLong(OsdCandidate::drain)
        .findFirst();
  }

  public static ClusterKnown of(ClusterTable table, String bladeSet, PartitionId volume) {
    long capacityBytes = 0;
    long usedBytes = 0;
    long reserveBytes = 0;
    SortedMap<OsdId, Lossy> lossy = new TreeMap<>();
    SortedMap<OsdId, Long> removed = new TreeMap<>();
    SortedSet<OsdId> elsewhere = new TreeSet<>();
    for (OsdRow row : table.getOsdsList()) {
      if (row.getBladeSet().equals(bladeSet) && row.getRemoved()) {
        removed.put(new OsdId(row.getOsdId()), row.getDrainNumber());
      } else if (row.getBladeSet().equals(bladeSet)) {
        capacityBytes += row.getCapacityBytes();
        usedBytes += row.getUsedBytes();
        reserveBytes += row.getReserveBytes();
        // One that is silent is in quarantine still, and not to be left out of the count.
        OsdOfVolume osd = new OsdOfVolume(row, volume);
        if (osd.lacksWrites()) {
          lossy.put(new OsdId(row.getOsdId()), new Lossy(row.getQuarantine(), osd.isAwaited()));
        }
      } else if (!row.getRemoved()) {
        elsewhere.add(new OsdId(row.getOsdId()));
      }
    }
    return new ClusterKnown(
        table.getVersion(),
        OsdPool.of(table, bladeSet, volume),
        capacityBytes,
        usedBytes,
        reserveBytes,
        lossy,
        removed,
        elsewhere);
  }
}
