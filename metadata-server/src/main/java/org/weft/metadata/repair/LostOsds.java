package org.weft.metadata.repair;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;

/**
 * Which OSDs count as lost for good (P 6.8): those that were removed from the cluster at once,
 * those that SysMgr calls down once that has lasted. Counted by the manager's monotonic clock from
 * when it first heard so; a manager that starts counts anew. Single-threaded.
 */
public final class LostOsds {
  private final long afterNanos;
  private final SortedMap<OsdId, Long> downSinceNanos = new TreeMap<>();
  private final SortedSet<OsdId> removed = new TreeSet<>();

  public LostOsds(long afterMillis) {
    this.afterNanos = TimeUnit.MILLISECONDS.toNanos(afterMillis);
  }

  /** There is a newer table. */
  public void tableChanged(Collection<OsdId> down, Collection<OsdId> nowRemoved, long nowNanos) {
    downSinceNanos.keySet().retainAll(down);
    down.forEach(osd -> downSinceNanos.putIfAbsent(osd, nowNanos));
    removed.clear();
    removed.addAll(nowRemoved);
  }

  /** Those that count as lost now, ascending. */
  public SortedSet<OsdId> at(long nowNanos) {
    SortedSet<OsdId> lost = new TreeSet<>(removed);
    downSinceNanos.forEach(
        (osd, since) -> {
          if (nowNanos - since >= afterNanos) {
            lost.add(osd);
          }
        });
    return Collections.unmodifiableSortedSet(lost);
  }
}
