package org.weft.recovery.resolve;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the manager knows of a file that is to be resolved (P 5.5).
 *
 * @param number what the objects' versions were raised to: above every grant of the file's writers
 * @param oldestGrant of those to be resolved. The holder of an older one has closed the file in
 *     order, or was resolved, so everything of that grant is complete
 * @param publishedBytes length that was published, 0 if none: what such a file has must be there
 * @param truncationNumber how often the file had been cut by then
 * @param trimming the last cut is not finished, and no client has written behind it. No component
 *     is told of it before the next client that is granted the file has made it true (P 4.3)
 * @param asItIs more is gone than the code bears, and nothing will bring it back. What is left is
 *     made to agree, and the rest stays lost (P 5.9)
 * @param suspects components whose OSD lost its power while the file was written. There are more of
 *     them than the code bears, so they are taken as present. What such a one does not have, or has
 *     only in an older state, it may have lost (P 5.9)
 */
public record ResolveTask(
    long number,
    long oldestGrant,
    long publishedBytes,
    int truncationNumber,
    boolean trimming,
    boolean asItIs,
    SortedSet<Integer> suspects) {
  public ResolveTask {
    suspects = Collections.unmodifiableSortedSet(new TreeSet<>(suspects));
  }

  /** Without suspects. */
  public ResolveTask(
      long number,
      long oldestGrant,
      long publishedBytes,
      int truncationNumber,
      boolean trimming,
      boolean asItIs) {
    this(
        number,
        oldestGrant,
        publishedBytes,
        truncationNumber,
        trimming,
        asItIs,
        Collections.emptySortedSet());
  }
}
