package org.weft.client.resolve;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.layout.Layout;

/**
 * Decides every pending write of a file whose writers have been shut out (P 5.5), from the pending
 * lists of all components that its map calls present.
 *
 * <p>What any component knows to be complete is complete everywhere. Of the rest, oldest first: an
 * XOR write is applied wherever it lacks if any component holds it. A stripe write is kept if the
 * components that hold it and those that take no part in it are k together: then they decode what
 * the others lack. Else it is undone. A write that its writer began to undo is undone.
 *
 * <p>An acknowledged write was held by every component then present, and at most m are lost since:
 * the others are k. One that is not kept leaves what it overwrote. Made again after a part of it
 * has been carried out, and other components were lost, the plan goes the same way or, for a write
 * that nobody was told of, back.
 */
public final class ResolvePlan {
  private final KnownFile file;
  private final SortedMap<Long, Long> completeUpTo = new TreeMap<>(Long::compareUnsigned);
  private final SortedMap<Long, Long> settledUpTo = new TreeMap<>(Long::compareUnsigned);
  private final List<Decision> decisions = new ArrayList<>();
  private final TreeSet<Integer> gone = new TreeSet<>();
  private final TreeSet<Integer> lost = new TreeSet<>();

  private final boolean asItIs;

  private ResolvePlan(KnownFile file, boolean asItIs) {
    this.file = file;
    this.asItIs = asItIs;
  }

  /** The plan for a file. */
  public static ResolvePlan of(KnownFile file) {
    return of(file, false);
  }

  /**
   * The plan for a file.
   *
   * @param asItIs more is gone than the code bears: what is left agrees without it
   */
  public static ResolvePlan of(KnownFile file, boolean asItIs) {
    ResolvePlan plan = new ResolvePlan(file, asItIs);
    plan.findMarks();
    plan.findLost();
    if (asItIs) {
      plan.gone.addAll(plan.lost);
      plan.lost.clear();
    }
    plan.ids().forEach(plan::decide);
    if (!plan.lost.isEmpty()) {
      plan.decisions.clear();
    }
    return plan;
  }

  /**
   * Components that the map calls present and that have nothing where they must: they are to be
   * marked missing before anything is decided. Then there are no decisions.
   */
  public SortedSet<Integer> lost() {
    return Collections.unmodifiableSortedSet(lost);
  }

  /**
   * As those, of a file that is taken as it is: nobody has anything of them, and they stay away.
   */
  public SortedSet<Integer> gone() {
    return Collections.unmodifiableSortedSet(gone);
  }

  private boolean isOut(int component) {
    return file.isMissing(component) || gone.contains(component);
  }

  /** In the order in which they are to be carried out, one after another. */
  public List<Decision> decisions() {
    return Collections.unmodifiableList(decisions);
  }

  /**
   * By grant, of those that have anything on a list: once all decisions are carried out, everything
   * up to there is complete.
   */
  public SortedMap<Long, Long> completeUpTo() {
    return Collections.unmodifiableSortedMap(settledUpTo);
  }

  private void findMarks() {
    for (ComponentState state : file.states().values()) {
      state.completeUpTo().forEach((grant, upTo) -> completeUpTo.merge(grant, upTo, Math::max));
    }
    for (PendingId id : ids()) {
      long known = completeUpTo.getOrDefault(id.grant(), 0L);
      settledUpTo.merge(id.grant(), Math.max(known, id.lastSeq()), Math::max);
    }
  }

  private boolean isComplete(PendingId id) {
    return Long.compareUnsigned(id.grant(), file.oldestGrant()) < 0
        || id.lastSeq() <= completeUpTo.getOrDefault(id.grant(), 0L);
  }

  /** All ids on any list, oldest first. */
  private TreeSet<PendingId> ids() {
    TreeSet<PendingId> ids = new TreeSet<>();
    file.states().values().forEach(state -> state.records().forEach(each -> ids.add(each.id())));
    return ids;
  }

  /**
   * By what was published, and by nothing else: that a write is complete may also mean that it was
   * resolved, by somebody who died before he made the rest of the components.
   */
  private void findLost() {
    for (int component = 0; component < file.layout().componentCount(); component++) {
      if (!file.isMissing(component)
          && file.isNothing(component)
          && file.mustExist(component, file.publishedBytes())) {
        lost.add(component);
      }
    }
  }

  private void decide(PendingId id) {
    if (isComplete(id)) {
      return;
    }
    SortedMap<Integer, PendingRecord> held = new TreeMap<>();
    TreeSet<Integer> participants = new TreeSet<>();
    boolean aborted = false;
    for (var entry : file.states().entrySet()) {
      for (PendingRecord each : entry.getValue().records()) {
        if (each.id().equals(id)) {
          aborted |= each.isAborted();
          participants.addAll(each.participants());
          if (!each.isAborted()) {
            held.put(entry.getKey(), each);
          }
        }
      }
    }
    if (!held.isEmpty()) {
      participants.addAll(held.keySet());
      add(id, held, participants, aborted);
    }
  }

  private void add(
      PendingId id,
      SortedMap<Integer, PendingRecord> held,
      SortedSet<Integer> participants,
      boolean aborted) {
    PendingRecord first = held.get(held.firstKey());
    int block = Layout.BLOCK_BYTES;
    long from = held.values().stream().mapToLong(PendingRecord::offsetBytes).min().getAsLong();
    long to = held.values().stream().mapToLong(PendingRecord::endBytes).max().getAsLong();
    TreeSet<Integer> holders = new TreeSet<>(held.keySet());
    TreeSet<Integer> lacking = new TreeSet<>(participants);
    lacking.removeIf(each -> holders.contains(each) || isOut(each));
    TreeSet<Integer> zeros = new TreeSet<>();
    TreeSet<Integer> sources = new TreeSet<>(holders);
    if (!first.isXor()) {
      addBystanders(participants, from, to, sources, zeros);
    }
    boolean kept = !aborted && (first.isXor() || sources.size() >= file.layout().dataUnits());
    if (kept && first.isXor()) {
      // An XOR write changes what exists: who is not there has lost it.
      if (!asItIs) {
        lacking.stream().filter(file::isAbsent).forEach(lost::add);
      }
      lacking.removeIf(file::isAbsent);
    }
    Decision.Verdict keeping = first.isXor() ? Decision.Verdict.APPLY : Decision.Verdict.FORWARD;
    decisions.add(
        new Decision(
            id,
            kept ? keeping : Decision.Verdict.UNDO,
            participants,
            holders,
            kept ? lacking : holders,
            sources,
            zeros,
            from / block * block,
            (to + block - 1) / block * block,
            held.values().stream().mapToLong(PendingRecord::eofBytes).max().getAsLong(),
            first.truncationNumber()));
  }

  /** Components that take no part: what they hold is the same before and after. */
  private void addBystanders(
      SortedSet<Integer> participants,
      long fromBytes,
      long toBytes,
      TreeSet<Integer> sources,
      TreeSet<Integer> zeros) {
    int width = file.layout().width();
    int first = participants.first() / width * width;
    for (int component = first; component < first + width; component++) {
      if (participants.contains(component)) {
        continue;
      }
      if (gone.contains(component)) {
        continue;
      }
      if (file.isZeros(component) && isDataAll(component, fromBytes, toBytes)) {
        zeros.add(component);
        sources.add(component);
      } else if (!file.isMissing(component) && !file.isAbsent(component)) {
        sources.add(component);
      }
    }
  }

  /** True if the component holds data units, and no parity, in all stripes of that range. */
  private boolean isDataAll(int component, long fromBytes, long toBytes) {
    Layout layout = file.layout();
    int group = component / layout.width();
    for (long at = fromBytes / layout.unitBytes(); at * layout.unitBytes() < toBytes; at++) {
      if (layout.roleOf(layout.stripeAt(group, at), component) < 0) {
        return false;
      }
    }
    return true;
  }
}
