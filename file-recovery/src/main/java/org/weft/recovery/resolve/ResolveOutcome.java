package org.weft.recovery.resolve;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a resolve found, or did.
 *
 * @param sizeBytes length of the file: the largest that was published or that a component knows
 *     since the newest truncation
 * @param decided write ids that were pending
 * @param undone of these
 * @param lost components that are gone or say themselves that they are of no use, and why. They are
 *     to be marked missing before the file is resolved. Unless it is empty nothing has ended
 * @param gone components without which the resolve was carried out, and why. They are to be marked
 *     missing as it ends, whether the code bears it or not
 * @param damaged components that stay present and may lack writes, and why: an operator is told
 */
public record ResolveOutcome(
    long sizeBytes,
    int decided,
    int undone,
    SortedMap<Integer, String> lost,
    SortedMap<Integer, String> gone,
    SortedMap<Integer, String> damaged) {
  public ResolveOutcome {
    lost = Collections.unmodifiableSortedMap(new TreeMap<>(lost));
    gone = Collections.unmodifiableSortedMap(new TreeMap<>(gone));
    damaged = Collections.unmodifiableSortedMap(new TreeMap<>(damaged));
  }

  /** Of a file that has everything it is to have, or of which nothing was done. */
  ResolveOutcome(long sizeBytes, int decided, int undone, SortedMap<Integer, String> lost) {
    this(
        sizeBytes,
        decided,
        undone,
        lost,
        Collections.emptySortedMap(),
        Collections.emptySortedMap());
  }

  static ResolveOutcome lost(SortedMap<Integer, String> lost) {
    return new ResolveOutcome(0, 0, 0, lost);
  }
}
