package org.weft.client.stripe;

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
 * @param lost components that are gone or say themselves that they are of no use, and why: to be
 *     marked missing before the file is resolved; unless it is empty nothing has ended
 */
public record ResolveOutcome(
    long sizeBytes, int decided, int undone, SortedMap<Integer, String> lost) {
  public ResolveOutcome {
    lost = Collections.unmodifiableSortedMap(new TreeMap<>(lost));
  }

  static ResolveOutcome lost(SortedMap<Integer, String> lost) {
    return new ResolveOutcome(0, 0, 0, lost);
  }
}
