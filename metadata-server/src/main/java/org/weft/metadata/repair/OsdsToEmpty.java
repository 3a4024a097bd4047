package org.weft.metadata.repair;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;

/**
 * OSDs whose components go to others (P 6.8). Immutable.
 *
 * @param lost do not come back, as far as known: their components are computed from the others
 * @param leaving are being drained: their components are copied, and stay good until they have
 *     moved
 * @param drains of those of them that are drained or removed, the number of the drain, or {@link
 *     #NO_DRAIN}
 * @param kept of the lost ones, those that are not rebuilt now. Their components count as lost
 *     where others have lost something too
 */
public record OsdsToEmpty(
    SortedSet<OsdId> lost,
    SortedSet<OsdId> leaving,
    SortedMap<OsdId, Long> drains,
    SortedSet<OsdId> kept) {
  /** Number for an OSD that is not drained. */
  public static final long NO_DRAIN = 0;

  public static final OsdsToEmpty NONE =
      new OsdsToEmpty(
          Collections.emptySortedSet(), Collections.emptySortedSet(), Collections.emptySortedMap());

  /** All of them are emptied now. */
  public OsdsToEmpty(
      SortedSet<OsdId> lost, SortedSet<OsdId> leaving, SortedMap<OsdId, Long> drains) {
    this(lost, leaving, drains, Collections.emptySortedSet());
  }

  public OsdsToEmpty {
    SortedSet<OsdId> others = new TreeSet<>(leaving);
    others.removeAll(lost);
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
    leaving = Collections.unmodifiableSortedSet(others);
    SortedMap<OsdId, Long> numbers = new TreeMap<>(drains);
    SortedSet<OsdId> named = new TreeSet<>(lost);
    named.addAll(others);
    numbers.keySet().retainAll(named);
    drains = Collections.unmodifiableSortedMap(numbers);
    SortedSet<OsdId> notNow = new TreeSet<>(kept);
    notNow.retainAll(lost);
    kept = Collections.unmodifiableSortedSet(notNow);
  }

  /** Only OSDs that are lost. */
  public static OsdsToEmpty lost(SortedSet<OsdId> lost) {
    return new OsdsToEmpty(lost, Collections.emptySortedSet(), Collections.emptySortedMap());
  }

  /**
   * The same without the OSDs that hold nothing any more.
   *
   * @param cleared each with the number of the drain of which that was found; of another drain it
   *     says nothing
   */
  public OsdsToEmpty without(SortedMap<OsdId, Long> cleared) {
    SortedMap<OsdId, Long> empty = new TreeMap<>(drains);
    empty.entrySet().retainAll(cleared.entrySet());
    SortedSet<OsdId> nextLost = new TreeSet<>(lost);
    nextLost.removeAll(empty.keySet());
    SortedSet<OsdId> nextLeaving = new TreeSet<>(leaving);
    nextLeaving.removeAll(empty.keySet());
    return new OsdsToEmpty(nextLost, nextLeaving, drains, kept);
  }

  /**
   * Those that were to be emptied before for the same reason: what was found of them then is true
   * still. Each with the number of its drain, or {@link #NO_DRAIN}.
   */
  public SortedMap<OsdId, Long> same(OsdsToEmpty before) {
    SortedMap<OsdId, Long> same = new TreeMap<>();
    for (OsdId osd : now()) {
      long drain = drains.getOrDefault(osd, NO_DRAIN);
      if (before.now().contains(osd) && before.drains.getOrDefault(osd, NO_DRAIN) == drain) {
        same.put(osd, drain);
      }
    }
    return same;
  }

  /** Both kinds, ascending. */
  public SortedSet<OsdId> all() {
    SortedSet<OsdId> all = new TreeSet<>(lost);
    all.addAll(leaving);
    return all;
  }

  /** Those whose components go to others now, ascending. */
  public SortedSet<OsdId> now() {
    SortedSet<OsdId> now = all();
    now.removeAll(kept);
    return now;
  }

  /** True if no component is to go to another. */
  public boolean isEmpty() {
    return now().isEmpty();
  }
}
