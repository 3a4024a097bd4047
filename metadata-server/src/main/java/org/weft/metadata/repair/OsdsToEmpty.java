package org.weft.metadata.repair;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;

/**
 * OSDs whose components go to others (P 6.8). Immutable.
 *
 * @param lost do not come back, as far as is known: what they held is computed from the others
 * @param leaving are being drained: what they hold is copied, and stays good until it has moved
 */
public record OsdsToEmpty(SortedSet<OsdId> lost, SortedSet<OsdId> leaving) {
  public static final OsdsToEmpty NONE =
      new OsdsToEmpty(Collections.emptySortedSet(), Collections.emptySortedSet());

  public OsdsToEmpty {
    SortedSet<OsdId> others = new TreeSet<>(leaving);
    others.removeAll(lost);
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
    leaving = Collections.unmodifiableSortedSet(others);
  }

  /** Only OSDs that are lost. */
  public static OsdsToEmpty lost(SortedSet<OsdId> lost) {
    return new OsdsToEmpty(lost, Collections.emptySortedSet());
  }

  /** Both kinds, ascending. */
  public SortedSet<OsdId> all() {
    SortedSet<OsdId> all = new TreeSet<>(lost);
    all.addAll(leaving);
    return all;
  }

  public boolean isEmpty() {
    return lost.isEmpty() && leaving.isEmpty();
  }
}
