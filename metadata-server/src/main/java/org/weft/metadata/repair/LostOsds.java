package org.weft.metadata.repair;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;

/**
 * Which OSDs count as lost for good (P 6.8). OSDs that were removed from the cluster, and those
 * that are down while another daemon has joined in their place, count at once. Others count when
 * SysMgr has called them down for long enough. Time counts by the manager's monotonic clock from
 * when it first learnt of it. A manager that starts counts anew. Every manager counts anew for an
 * OSD that has been back meanwhile, whether it saw that or not. Single-threaded.
 */
public final class LostOsds {
  private final boolean isAutomatic;
  private final long afterNanos;
  private final SortedMap<OsdId, Since> downSince = new TreeMap<>();
  private final SortedSet<OsdId> removed = new TreeSet<>();

  /**
   * What changes whenever an OSD has been back.
   *
   * @param incarnation its start
   * @param quarantine number of its last quarantine
   * @param isReplaced another daemon has joined at its address: an OSD with an empty disk, as a
   *     rule
   */
  public record Down(long incarnation, long quarantine, boolean isReplaced) {}

  private record Since(Down down, long nanos) {}

  /**
   * @param afterMillis how long one is down; {@link RepairOptions#NEVER}: only the removed are lost
   */
  public LostOsds(long afterMillis) {
    this.isAutomatic = afterMillis != RepairOptions.NEVER;
    this.afterNanos = TimeUnit.MILLISECONDS.toNanos(afterMillis);
  }

  /** There is a newer table. */
  public void tableChanged(Map<OsdId, Down> down, Collection<OsdId> nowRemoved, long nowNanos) {
    downSince.keySet().retainAll(down.keySet());
    down.forEach(
        (osd, now) -> {
          Since known = downSince.get(osd);
          if (known == null || !known.down().equals(now)) {
            downSince.put(osd, new Since(now, nowNanos));
          }
        });
    removed.clear();
    removed.addAll(nowRemoved);
  }

  /** Those that count as lost now, ascending. */
  public SortedSet<OsdId> at(long nowNanos) {
    SortedSet<OsdId> lost = new TreeSet<>(removed);
    downSince.forEach(
        (osd, since) -> {
          boolean isReplaced = isAutomatic && since.down().isReplaced();
          if (isReplaced || nowNanos - since.nanos() >= afterNanos) {
            lost.add(osd);
          }
        });
    return Collections.unmodifiableSortedSet(lost);
  }
}
