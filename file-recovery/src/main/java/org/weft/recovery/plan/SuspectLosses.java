package org.weft.recovery.plan;

import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.layout.Layout;

/**
 * What suspect components have lost (P 5.9). Their OSDs lost their power while the file was
 * written, and came back as they were at some moment since their last checkpoint. There are more of
 * them than the code bears. If there were no more than that, all would be marked missing before
 * anything is decided, and what they hold would not be looked at.
 *
 * <p>What survives: of each OSD everything under its last checkpoint; of what came later any part,
 * of the lists another one than of the bytes. What was acknowledged since the checkpoint may be
 * gone; what is left must be bytes that a client wrote, and no others. Two things tell what is not:
 *
 * <ul>
 *   <li><b>Gone</b>: it holds nothing, and must exist. It must by the length that the manager or
 *       any component knows, or since another component lists a write that it takes part in. A
 *       component is made with the first write that needs it and says so from then on. So all that
 *       it ever had is gone with it. Zeros in its place would be bytes that no client wrote, and
 *       each unit decoded from them invented. So it is no unit of zeros, no source and no target,
 *       and is not made again. A component that holds nothing, and need not exist by any of that,
 *       is as if it never had been.
 *   <li><b>Rewound</b>: another component knows of complete writes of a grant that is resolved now.
 *       It neither knows them to be complete, nor lists them, nor is known to have had no part in
 *       them. Marks of older grants do not count, for they are dropped at different times. It is
 *       also rewound if another calls grants resolved that it does not, and no marks of them are
 *       left to compare. It may hold units from before them. Each is what a client wrote, but
 *       beside the newer ones of the others it decodes to what no client wrote. So it is no source,
 *       and no δ is added to it.
 * </ul>
 *
 * <p>Where all components of a group are there, rewound ones stay. Parities are computed anew from
 * what the data units hold, and nothing is decoded from anything else. What components say of
 * themselves is not enough to do without any of them. A writer that lives on tells all of them what
 * is complete, and a block may be older than its list. Where one is missing or gone, decoding goes
 * on. A rewound one is left out for good then if k others are neither gone nor rewound; of a small
 * file one other is enough. If not, it stays with what it has, for it may hold the only units of
 * long ago. The file is damaged, and has to be reported.
 *
 * <p>What a list does not tell: blocks that fell back although the writes are complete by it. Each
 * component names them itself, or as many more. Stripe by stripe they are computed from the others
 * if k of those can be relied on. So are those of damaged components that stay, as far as others of
 * the stripe carry ids that they have not heard of. Where that is not possible, older data units
 * stay. Parities that cannot be told to belong to them are lost from then on. A unit that is
 * missing beside them cannot be read, rather than be decoded to what no client wrote.
 */
final class SuspectLosses {
  private final KnownFile file;
  private final SortedMap<Long, Long> completeUpTo;
  private final TreeSet<Integer> gone = new TreeSet<>();
  private final TreeSet<Integer> rewound = new TreeSet<>();
  private final TreeSet<Integer> leftOut = new TreeSet<>();

  /**
   * Of a file.
   *
   * @param completeUpTo by grant, what any component knows to be complete
   */
  SuspectLosses(KnownFile file, SortedMap<Long, Long> completeUpTo) {
    this.file = file;
    this.completeUpTo = completeUpTo;
    findGone();
    findRewound();
    for (int group = 0; group < file.layout().groups(); group++) {
      leaveOut(group);
    }
  }

  /** Holds nothing of what it had. */
  SortedSet<Integer> gone() {
    return gone;
  }

  /** May lack writes that were complete, and the others of its group do without it. */
  SortedSet<Integer> leftOut() {
    return leftOut;
  }

  /** May lack writes that were complete, and stays. */
  SortedSet<Integer> damaged() {
    TreeSet<Integer> damaged = new TreeSet<>(rewound);
    damaged.removeAll(leftOut);
    return damaged;
  }

  private void findGone() {
    long eofBytes = file.eofBytes();
    TreeSet<Integer> named = new TreeSet<>();
    file.states()
        .values()
        .forEach(state -> state.records().forEach(each -> named.addAll(each.participants())));
    for (int component : file.suspects()) {
      if (file.isSuspect(component)
          && file.isNothing(component)
          && (file.mustExist(component, eofBytes) || named.contains(component))) {
        gone.add(component);
      }
    }
  }

  private void findRewound() {
    for (int component : file.suspects()) {
      if (file.isSuspect(component) && !file.isNothing(component) && isBehind(component)) {
        rewound.add(component);
      }
    }
  }

  private boolean isBehind(int component) {
    ComponentState state = file.states().get(component);
    long from = comparedFrom(component);
    return Long.compareUnsigned(file.completeBelow(), from) > 0
        || completeUpTo.entrySet().stream()
            .filter(mark -> Long.compareUnsigned(mark.getKey(), from) >= 0)
            .anyMatch(
                mark ->
                    unaccountedFor(
                            component,
                            mark.getKey(),
                            state.completeUpTo().getOrDefault(mark.getKey(), 0L),
                            mark.getValue())
                        > 0);
  }

  /** Everything of smaller grants it had: of what it calls resolved, too, marks or none. */
  long comparedFrom(int component) {
    return max(file.oldestGrant(), file.states().get(component).resolvedBelow());
  }

  private static long max(long one, long other) {
    return Long.compareUnsigned(one, other) >= 0 ? one : other;
  }

  /**
   * How many complete writes of a grant the component may have had a part in, and does not know.
   */
  private long unaccountedFor(int component, long grant, long knownUpTo, long completeUpTo) {
    SortedMap<PendingId, Boolean> accounted = new TreeMap<>();
    for (var entry : file.states().entrySet()) {
      for (PendingListRecord each : entry.getValue().records()) {
        PendingId id = each.id();
        boolean isMeant =
            id.grant() == grant && id.firstSeq() > knownUpTo && id.lastSeq() <= completeUpTo;
        if (isMeant) {
          boolean lists = entry.getKey() == component;
          boolean others = !each.isAborted() && !each.participants().contains(component);
          accounted.merge(id, lists || others, Boolean::logicalOr);
        }
      }
    }
    long known =
        accounted.entrySet().stream()
            .filter(Map.Entry::getValue)
            .mapToLong(each -> each.getKey().seqCount())
            .sum();
    return completeUpTo - knownUpTo - known;
  }

  private void leaveOut(int group) {
    Layout layout = file.layout();
    int first = group * layout.width();
    SortedSet<Integer> here = rewound.subSet(first, first + layout.width());
    int others = 0;
    boolean whole = true;
    for (int each = first; each < first + layout.width(); each++) {
      boolean isThere = !file.isMissing(each) && !file.isNothing(each);
      others += isThere && !here.contains(each) ? 1 : 0;
      whole &= !file.isMissing(each) && !gone.contains(each);
    }
    if (!whole && others >= (file.isSmall() ? 1 : layout.dataUnits())) {
      leftOut.addAll(here);
    }
  }
}
