package org.weft.recovery.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.weft.protocol.layout.Layout;
import org.weft.recovery.plan.WriteDecision.Verdict;

/**
 * Decides every pending write of a file whose writers have been shut out (P 5.5). It uses the
 * pending lists of all components that its map calls present.
 *
 * <p>What any component knows to be complete is complete everywhere. Of the rest, oldest first: an
 * XOR write is applied wherever it lacks if any component holds it. A stripe write is kept if the
 * components that hold it and those that take no part in it are k together. Then they decode what
 * the others lack. Else it is undone. A write that its writer began to undo is undone.
 *
 * <p>An acknowledged write was held by every component then present, and at most m are lost since:
 * the others are k. One that is not kept leaves what it overwrote. The plan may be made again after
 * a part of it has been carried out, and other components were lost. Then it goes the same way or,
 * for a write that was never acknowledged, back.
 *
 * <p>Where more components lost their power than the code bears, an acknowledged write may not be
 * kept. But nothing is decoded from a component that may not belong to the others ({@link
 * SuspectLosses}), nor is anything added to it. A write that no component lacks is kept, whichever
 * hold it, for nothing has to be decoded.
 */
public final class ResolvePlan {
  private final KnownFile file;
  private final boolean asItIs;
  private final SortedSet<PendingId> unreadable;
  private final SortedMap<Long, Long> completeUpTo = new TreeMap<>(Long::compareUnsigned);
  private final SortedMap<Long, Long> settledUpTo = new TreeMap<>(Long::compareUnsigned);
  private final List<WriteDecision> decisions = new ArrayList<>();
  private final TreeSet<Integer> gone = new TreeSet<>();
  private final TreeSet<Integer> lost = new TreeSet<>();
  private final TreeSet<Integer> hopeless = new TreeSet<>();
  private final SuspectLosses losses;

  private ResolvePlan(KnownFile file, boolean asItIs, SortedSet<PendingId> unreadable) {
    this.file = file;
    this.asItIs = asItIs;
    this.unreadable = unreadable;
    for (ComponentState state : file.states().values()) {
      state.completeUpTo().forEach((grant, upTo) -> completeUpTo.merge(grant, upTo, Math::max));
    }
    this.losses = new SuspectLosses(file, completeUpTo);
    gone.addAll(losses.gone());
    findLost();
    if (asItIs) {
      gone.addAll(lost);
      lost.clear();
    }
    findSettled();
  }

  /** The plan for a file. */
  public static ResolvePlan of(KnownFile file) {
    return of(file, false);
  }

  /** As the other one, when nothing that is there was found damaged. */
  public static ResolvePlan of(KnownFile file, boolean asItIs) {
    return of(file, asItIs, Collections.emptySortedSet());
  }

  /**
   * The plan for a file.
   *
   * @param asItIs more is gone than the code bears: what is left agrees without it
   * @param unreadable writes that were tried to be carried on in vain: OSDs say of what they would
   *     be computed from that it is damaged
   */
  public static ResolvePlan of(KnownFile file, boolean asItIs, SortedSet<PendingId> unreadable) {
    ResolvePlan plan = new ResolvePlan(file, asItIs, unreadable);
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

  /** Of those, the ones that are there: they lack a write that nothing is left to compute from. */
  public SortedSet<Integer> hopeless() {
    return Collections.unmodifiableSortedSet(hopeless);
  }

  /**
   * As those, where they cannot be marked missing first. They are suspect components that hold
   * nothing of what they must, and what a file lacks that is taken as it is. Nothing is taken from
   * them, and they stay away.
   */
  public SortedSet<Integer> gone() {
    return Collections.unmodifiableSortedSet(gone);
  }

  /**
   * Suspect components that may lack complete writes, and that the others of their group do
   * without. As with those that are gone, nothing is done there and nothing said. Until the map
   * does, only what they say of themselves tells them from the others.
   */
  public SortedSet<Integer> leftOut() {
    return Collections.unmodifiableSortedSet(losses.leftOut());
  }

  /** Suspect components that may lack complete writes, and that nothing can stand in for. */
  public SortedSet<Integer> damaged() {
    return Collections.unmodifiableSortedSet(losses.damaged());
  }

  /**
   * Parity groups with a suspect component and all others. What each data unit holds was written,
   * but the parities may be of what the suspects have lost. The parities are computed anew.
   */
  public SortedSet<Integer> doubtfulGroups() {
    TreeSet<Integer> doubtful = new TreeSet<>();
    for (int component : file.suspects()) {
      int group = component / file.layout().width();
      if (isWhole(group) && file.layout().parityUnits() > 0) {
        doubtful.add(group);
      }
    }
    return doubtful;
  }

  /** True if no component of the group is missing, gone or left out. */
  public boolean isWhole(int group) {
    int width = file.layout().width();
    return IntStream.range(group * width, (group + 1) * width).noneMatch(this::isOut);
  }

  /** Neither read nor written nor made. */
  public boolean isOut(int component) {
    return file.isMissing(component)
        || gone.contains(component)
        || losses.leftOut().contains(component);
  }

  /** True if it belongs to the state that the others are in. */
  public boolean isTrusted(int component) {
    return !isOut(component) && !losses.damaged().contains(component);
  }

  /**
   * True if a component that may lack complete writes knows of this one: if it holds older bytes
   * than it should, that is not why.
   */
  public boolean isAccountedFor(int component, long grant, long seq) {
    ComponentState state = file.states().get(component);
    long from = losses.comparedFrom(component);
    return Long.compareUnsigned(grant, from) < 0
        || seq <= state.completeUpTo().getOrDefault(grant, 0L)
        || state.records().stream()
            .anyMatch(
                each ->
                    !each.isAborted()
                        && each.id().grant() == grant
                        && each.id().firstSeq() <= seq
                        && seq <= each.id().lastSeq());
  }

  /** In the order in which they are to be carried out, one after another. */
  public List<WriteDecision> decisions() {
    return Collections.unmodifiableList(decisions);
  }

  /**
   * For each grant of which a trusted component has anything on its list: everything up to there is
   * complete, once all decisions are carried out.
   */
  public SortedMap<Long, Long> completeUpTo() {
    return Collections.unmodifiableSortedMap(settledUpTo);
  }

  private void findSettled() {
    for (var entry : file.states().entrySet()) {
      if (!isTrusted(entry.getKey())) {
        continue;
      }
      for (PendingListRecord each : entry.getValue().records()) {
        settledUpTo.merge(each.id().grant(), 0L, Math::max);
      }
    }
    for (PendingId id : ids()) {
      long known = Math.max(completeUpTo.getOrDefault(id.grant(), 0L), id.lastSeq());
      settledUpTo.computeIfPresent(id.grant(), (grant, upTo) -> Math.max(upTo, known));
    }
  }

  private boolean isComplete(PendingId id) {
    return Long.compareUnsigned(id.grant(), file.completeBelow()) < 0
        || id.lastSeq() <= completeUpTo.getOrDefault(id.grant(), 0L);
  }

  /** All ids on any list, oldest first. */
  private TreeSet<PendingId> ids() {
    TreeSet<PendingId> ids = new TreeSet<>();
    file.states().values().forEach(state -> state.records().forEach(each -> ids.add(each.id())));
    return ids;
  }

  /**
   * By what was published, and by nothing else. A complete write may also have been resolved, by a
   * manager that died before it made the rest of the components.
   */
  private void findLost() {
    for (int component = 0; component < file.layout().componentCount(); component++) {
      if (!isOut(component)
          && file.isNothing(component)
          && file.mustExist(component, file.publishedBytes())) {
        lost.add(component);
      }
    }
  }

  private void decide(PendingId id) {
    ListedWrite write = ListedWrite.of(file, id);
    if (isComplete(id)) {
      if (cannotBeComplete(write)) {
        undoAgain(write);
      }
      return;
    }
    boolean isWanted = !write.held().isEmpty() && write.undone().isEmpty();
    if (isWanted && unreadable.contains(id)) {
      giveUp(write);
    } else if (!isWanted || !(write.isXor() ? keepXor(write) : keepStripe(write))) {
      undo(write);
    }
  }

  /**
   * A grant that was resolved is complete as a whole, with what was undone. A power loss that took
   * the undoing back brings such a write again. A participant that lost nothing and never heard of
   * the file tells it from a write that was kept: that one reached every participant.
   */
  private boolean cannotBeComplete(ListedWrite write) {
    return !write.held().isEmpty()
        && write.held().keySet().stream().allMatch(file::isSuspect)
        && write.participants().stream()
            .anyMatch(each -> !isOut(each) && !file.isSuspect(each) && file.isNothing(each));
  }

  /** The others know that it is settled, and would not hear of it. */
  private void undoAgain(ListedWrite write) {
    TreeSet<Integer> targets = new TreeSet<>(write.held().keySet());
    targets.addAll(write.told());
    undoAt(targets, write);
  }

  /**
   * What is left of the units cannot be read in k places. A participant that lacks the write and
   * lost nothing never had it. Then the write was never acknowledged, and is undone, for which
   * nothing has to be computed. Where all that lack it may have lost it, it may have been
   * acknowledged: those components go, and the write stays.
   */
  private void giveUp(ListedWrite write) {
    TreeSet<Integer> lacking = new TreeSet<>(write.lacking());
    lacking.removeIf(each -> !isTrusted(each));
    if (lacking.stream().allMatch(file::isSuspect)) {
      lost.addAll(lacking);
      hopeless.addAll(lacking);
    } else {
      undo(write);
    }
  }

  /** Held by one whose δ is right, or by all. */
  private boolean keepXor(ListedWrite write) {
    TreeSet<Integer> lacking = new TreeSet<>(write.lacking());
    lacking.removeIf(this::isOut);
    TreeSet<Integer> sources = trusted(write.held().keySet());
    if (!lacking.isEmpty()
        && (sources.isEmpty() || lacking.stream().anyMatch(each -> fellBack(each, write)))) {
      // A δ on other bytes than it was made of gives bytes that no client wrote.
      return false;
    }
    // An XOR write changes what exists: a component that has nothing has lost it.
    if (!asItIs) {
      lacking.stream().filter(file::isNothing).forEach(lost::add);
    }
    lacking.removeIf(each -> file.isNothing(each) || !isTrusted(each));
    keep(write, write.decided(Verdict.APPLY, lacking, sources, Collections.emptySortedSet()));
    return true;
  }

  private boolean keepStripe(ListedWrite write) {
    TreeSet<Integer> lacking = new TreeSet<>(write.lacking());
    lacking.removeIf(this::isOut);
    TreeSet<Integer> sources = trusted(write.held().keySet());
    TreeSet<Integer> zeros = new TreeSet<>();
    addBystanders(write, sources, zeros);
    // All its participants may have acknowledged it, whatever else of the stripe is gone.
    boolean isHeldByAll =
        write.lacking().isEmpty()
            || lacking.isEmpty() && (!losses.damaged().isEmpty() || anyFellBack(write));
    sources.removeIf(each -> fellBack(each, write));
    if (sources.size() < file.layout().dataUnits() && !isHeldByAll) {
      return false;
    }
    lacking.removeIf(each -> !isTrusted(each));
    keep(write, write.decided(Verdict.FORWARD, lacking, sources, zeros));
    return true;
  }

  /**
   * Where only components that fell back have the write, and none lacks it, nothing is done and
   * nothing to be said.
   */
  private void keep(ListedWrite write, WriteDecision decision) {
    if (!decision.targets().isEmpty() || !trusted(write.held().keySet()).isEmpty()) {
      decisions.add(decision);
    }
  }

  private TreeSet<Integer> trusted(Iterable<Integer> components) {
    TreeSet<Integer> trusted = new TreeSet<>();
    components.forEach(trusted::add);
    trusted.removeIf(each -> !isTrusted(each));
    return trusted;
  }

  /**
   * At every participant that is there, and not at those alone that have the write. An earlier
   * attempt may have known of more components and kept the write. What it sent may arrive at one of
   * the others at any moment. It must find there that the write is undone. If no component knows
   * any more which take part, all are told. A component that knows of the write's length alone
   * forgets it (P 4.3).
   */
  private void undo(ListedWrite write) {
    TreeSet<Integer> targets = new TreeSet<>(file.states().keySet());
    if (!write.participants().isEmpty()) {
      targets.retainAll(write.participants());
      targets.addAll(write.told());
    }
    targets.removeAll(write.undone());
    undoAt(targets, write);
  }

  private void undoAt(SortedSet<Integer> targets, ListedWrite write) {
    targets.removeIf(this::isOut);
    if (!targets.isEmpty()) {
      SortedSet<Integer> none = Collections.emptySortedSet();
      decisions.add(write.decided(Verdict.UNDO, targets, none, none));
    }
  }

  private boolean anyFellBack(ListedWrite write) {
    return file.states().keySet().stream().anyMatch(each -> fellBack(each, write));
  }

  /** It holds older bytes than it should in the range of the write. */
  private boolean fellBack(int component, ListedWrite write) {
    ComponentState state = file.states().get(component);
    int block = Layout.BLOCK_BYTES;
    return state != null
        && state.isGivenBack(write.fromBytes() / block, (write.toBytes() + block - 1) / block);
  }

  /** Components that take no part: what they hold is the same before and after. */
  private void addBystanders(ListedWrite write, TreeSet<Integer> sources, TreeSet<Integer> zeros) {
    int width = file.layout().width();
    int first = write.participants().first() / width * width;
    for (int component = first; component < first + width; component++) {
      if (write.participants().contains(component) || gone.contains(component)) {
        continue;
      }
      if (file.isZeros(component) && isDataAll(component, write)) {
        zeros.add(component);
        sources.add(component);
      } else if (isTrusted(component) && !file.isNothing(component)) {
        sources.add(component);
      }
    }
  }

  /** True if the component holds data units, and no parity, in all stripes of that range. */
  private boolean isDataAll(int component, ListedWrite write) {
    Layout layout = file.layout();
    int group = component / layout.width();
    for (long at = write.fromBytes() / layout.unitBytes();
        at * layout.unitBytes() < write.toBytes();
        at++) {
      if (layout.roleOf(layout.stripeAt(group, at), component) < 0) {
        return false;
      }
    }
    return true;
  }
}
