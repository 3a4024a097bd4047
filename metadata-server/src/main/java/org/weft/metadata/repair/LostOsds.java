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
 * Which OSDs count as lost for good (P 6.8): those that were removed from the cluster at once,
 * those that SysMgr calls down once that has lasted. Counted by the manager's monotonic clock from
 * when it first heard so; a manager that starts counts anew, and of an OSD that has been back
 * meanwhile every manager does, whether it saw that or not. Single-threaded.
 */
public final class LostOsds {
  private final long afterNanos;
  private final SortedMap<OsdId, Since> downSince = new TreeMap<>();
  private final SortedSet<OsdId> removed = new TreeSet<>();

  /**
   * What changes whenever an OSD has been back.
   *
   * @param incarnation its start
   * @param quarantine number of its last quarantine
   */
  public record Down(long incarnation, long quarantine) {}

  private record Since(Down down, long nanos) {}

  public LostOsds(long afterMillis) {
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
          if (nowNanos - since.nanos() >= afterNanos) {
            lost.add(osd);
          }
        });
    return Collections.unmodifiableSortedSet(lost);
  }
}
