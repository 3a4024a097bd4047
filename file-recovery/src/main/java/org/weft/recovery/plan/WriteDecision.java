package org.weft.recovery.plan;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What becomes of one write id.
 *
 * @param participants T: all components that take part in it, lost ones included
 * @param holders those that have it
 * @param targets where something is left to do: components that lack a write that is kept, or may
 *     have, or be sent, one that is not
 * @param sources of a write that is kept: components whose units of its stripes belong to the state
 *     after a stripe write. Any k of them decode the others. Holders whose δ of an XOR write is
 *     right count, too
 * @param zeros of those, which hold nothing but zeros there and need not, or cannot, be read
 * @param fromBytes first byte that it changes, in every component: a whole block
 * @param toBytes end of what it changes, whole blocks
 */
public record WriteDecision(
    PendingId id,
    Verdict verdict,
    SortedSet<Integer> participants,
    SortedSet<Integer> holders,
    SortedSet<Integer> targets,
    SortedSet<Integer> sources,
    SortedSet<Integer> zeros,
    long fromBytes,
    long toBytes,
    long eofBytes,
    int truncationNumber) {
  /** What is done at the targets. */
  public enum Verdict {
    /** A stripe write is written to them: what it holds there is decoded from the sources. */
    FORWARD,
    /** An XOR write is applied to them: its δ is read from a holder. */
    APPLY,
    /** It is undone there. */
    UNDO
  }

  public WriteDecision {
    participants = unmodifiable(participants);
    holders = unmodifiable(holders);
    targets = unmodifiable(targets);
    sources = unmodifiable(sources);
    zeros = unmodifiable(zeros);
  }

  private static SortedSet<Integer> unmodifiable(SortedSet<Integer> components) {
    return Collections.unmodifiableSortedSet(new TreeSet<>(components));
  }
}
