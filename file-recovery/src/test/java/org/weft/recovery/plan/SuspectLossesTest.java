package org.weft.recovery.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.plan.WriteDecision.Verdict;

/** More components than the code bears lost their power: what is believed of them (P 5.9). */
class SuspectLossesTest {
  private static final long GRANT = Lsn.of(3, 7).value();
  private static final int UNIT_BYTES = 8192;
  private static final long LONG = 20L * UNIT_BYTES;

  private final SortedMap<Integer, ComponentState> states = new TreeMap<>();
  private Layout layout = new Layout(3, 2, UNIT_BYTES, 10, 1);
  private SortedSet<Integer> missing = set();
  private long publishedBytes;

  private static SortedSet<Integer> set(Integer... components) {
    return new TreeSet<>(List.of(components));
  }

  private ResolvePlan plan(Integer... suspects) {
    List<OsdId> osds =
        IntStream.rangeClosed(1, layout.componentCount()).mapToObj(OsdId::new).toList();
    StorageMap map = new StorageMap(layout, osds, 1, missing, List.of());
    return ResolvePlan.of(
        new KnownFile(map, states, GRANT, publishedBytes, 0, set(suspects)), false);
  }

  private void knows(
      int component, long completeUpTo, long eofBytes, PendingListRecord... records) {
    TreeMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    if (completeUpTo > 0) {
      marks.put(GRANT, completeUpTo);
    }
    states.put(component, new ComponentState(List.of(records), marks, eofBytes, 0, UNIT_BYTES));
  }

  private static SortedMap<Long, Long> marks(long completeUpTo) {
    TreeMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    marks.put(GRANT, completeUpTo);
    return marks;
  }

  private void blank(int component) {
    states.put(component, new ComponentState(List.of(), new TreeMap<>(), 0, 0, 0));
  }

  private static PendingListRecord listed(
      long seq, PendingListRecord.Kind kind, Integer... participants) {
    return new PendingListRecord(
        new PendingId(GRANT, seq, 1), kind, List.of(participants), 0, UNIT_BYTES, LONG, 0);
  }

  private static PendingListRecord stripe(long seq, Integer... participants) {
    return listed(seq, PendingListRecord.Kind.STRIPE, participants);
  }

  private static List<Verdict> verdicts(ResolvePlan plan) {
    return plan.decisions().stream().map(WriteDecision::verdict).toList();
  }

  /** One component survived to tell how long the file is: the others had something of it. */
  @Test
  void anEmptyComponentThatMustExistIsGone() {
    knows(1, 2, LONG);
    blank(0);
    blank(2);
    ResolvePlan plan = plan(0, 1, 2, 3, 4);
    assertEquals(set(0, 2, 3, 4), plan.gone());
    assertEquals(set(), plan.lost(), "none that is to be marked missing before");
  }

  @Test
  void aListedComponentIsGoneEvenInASmallFile() {
    knows(1, 0, 100, stripe(1, 0, 1, 2, 4));
    assertEquals(set(0, 2, 4), plan(0, 1, 2, 3, 4).gone());
  }

  /** It had been undone everywhere; one of those that heard so lost its power since. */
  @Test
  void anUndoneWriteThatReturnsIsUndoneAgain() {
    long settled = 1L << 56;
    blank(0);
    blank(2);
    states.put(1, new ComponentState(List.of(), marks(settled), 0, 0, 0));
    knows(3, 0, 3 * UNIT_BYTES, stripe(1, 0, 1, 2, 3, 4));
    ResolvePlan plan = plan(0, 2, 3);
    assertEquals(List.of(Verdict.UNDO), verdicts(plan));
    assertEquals(set(3), plan.decisions().get(0).targets());
  }

  /** All participants have something of the write, so that it may have been acknowledged. */
  @Test
  void aCompleteWriteStaysThoughASuspectListsItAgain() {
    for (int component : List.of(0, 1, 2, 4)) {
      knows(component, 1, 3 * UNIT_BYTES);
    }
    knows(3, 0, 3 * UNIT_BYTES, stripe(1, 0, 1, 2, 3, 4));
    assertEquals(List.of(), verdicts(plan(0, 2, 3)));
  }

  /** No write has ever needed it. */
  @Test
  void aSuspectThatNeedNotExistIsAsIfItNeverHad() {
    knows(0, 1, 100);
    knows(1, 1, 100);
    knows(2, 1, 100);
    assertEquals(set(), plan(0, 1, 2, 3, 4).gone());
  }

  /** It did not lose its power: the writer had not come so far as to make it. */
  @Test
  void anotherThatHoldsNothingIsMadeAsBefore() {
    for (int component : List.of(0, 1, 2)) {
      knows(component, 0, LONG, stripe(1, 0, 1, 2, 3, 4));
    }
    blank(3);
    ResolvePlan plan = plan(0, 1, 2);
    assertEquals(set(), plan.gone());
    assertEquals(List.of(Verdict.FORWARD), verdicts(plan));
    assertEquals(set(3, 4), plan.decisions().get(0).targets());
  }

  /** With zeros in its place three sources would be there. */
  @Test
  void aGoneComponentIsNeitherSourceNorTarget() {
    knows(0, 1, LONG, stripe(2, 0, 1, 2));
    knows(1, 1, LONG);
    knows(2, 1, LONG);
    knows(4, 1, LONG);
    ResolvePlan plan = plan(1, 2, 3);
    assertEquals(set(3), plan.gone());
    assertEquals(List.of(Verdict.UNDO), verdicts(plan));
    assertEquals(set(0, 1, 2), plan.decisions().get(0).targets());
    blank(3);
    assertEquals(set(3), plan(1, 2, 3).gone());
    assertEquals(List.of(Verdict.UNDO), verdicts(plan(1, 2, 3)));
  }

  /**
   * Its writer was told that all have it, and does not send it again: without parities, and beside
   * a component that is gone and takes no part.
   */
  @Test
  void aWriteOfAllParticipantsIsKeptDespiteAGoneComponent() {
    layout = new Layout(4, 0, UNIT_BYTES, 10, 1);
    knows(0, 0, LONG, stripe(1, 0, 1, 2, 3));
    knows(2, 0, LONG, stripe(1, 0, 1, 2, 3), stripe(2, 2, 3));
    knows(3, 0, LONG, stripe(1, 0, 1, 2, 3), stripe(2, 2, 3));
    blank(1);
    ResolvePlan plan = plan(1);
    assertEquals(set(1), plan.gone());
    assertEquals(List.of(Verdict.UNDO, Verdict.FORWARD), verdicts(plan));
    assertEquals(set(), plan.decisions().get(1).targets());
  }

  @Test
  void noDeltaIsAddedToAGoneComponent() {
    knows(0, 1, LONG, listed(2, PendingListRecord.Kind.XOR_DATA, 0, 3, 4));
    knows(1, 1, LONG);
    knows(2, 1, LONG);
    knows(3, 1, LONG);
    blank(4);
    ResolvePlan plan = plan(1, 2, 4);
    assertEquals(set(4), plan.gone());
    assertEquals(List.of(Verdict.APPLY), verdicts(plan));
    assertEquals(set(3), plan.decisions().get(0).targets());
  }

  /**
   * A component that is there and blank lacks what an XOR write changes as much as an absent one.
   */
  @Test
  void aBlankComponentIsLostToAnXorWrite() {
    knows(0, 1, LONG, listed(2, PendingListRecord.Kind.XOR_DATA, 0, 3, 4));
    knows(1, 1, LONG);
    knows(2, 1, LONG);
    knows(3, 1, LONG);
    blank(4);
    assertEquals(set(4), plan().lost());
    assertEquals(List.of(), verdicts(plan()));
  }

  /** Its unit is as it was before a write that the others have: a decode would invent bytes. */
  @Test
  void aRewoundComponentIsLeftOutIfOthersDecodeIt() {
    PendingListRecord write = stripe(6, 0, 3, 4);
    for (int component : List.of(0, 1)) {
      knows(component, 5, LONG);
    }
    missing = set(2);
    knows(3, 5, LONG, write);
    knows(4, 3, LONG, write);
    ResolvePlan plan = plan(3, 4);
    assertEquals(set(4), plan.leftOut());
    assertEquals(set(), plan.damaged());
    assertEquals(set(), plan.doubtfulGroups());
    assertEquals(List.of(Verdict.UNDO), verdicts(plan), "two are left that belong together");
    knows(0, 5, LONG, write);
    WriteDecision decision = plan(3, 4).decisions().get(0);
    assertEquals(Verdict.FORWARD, decision.verdict());
    assertEquals(set(0, 1, 3), decision.sources());
  }

  /** What it has is as good as what the others have, once the parities are of it. */
  @Test
  void aRewoundComponentStaysIfAllArePresent() {
    PendingListRecord write = stripe(6, 0, 3, 4);
    for (int component : List.of(0, 1, 2)) {
      knows(component, 5, LONG);
    }
    knows(3, 5, LONG, write);
    knows(4, 3, LONG, write);
    ResolvePlan plan = plan(2, 3, 4);
    assertEquals(set(), plan.leftOut());
    assertEquals(set(4), plan.damaged());
    assertEquals(set(0), plan.doubtfulGroups());
    WriteDecision decision = plan.decisions().get(0);
    assertEquals(Verdict.FORWARD, decision.verdict());
    assertEquals(set(0), decision.targets());
    assertEquals(set(1, 2, 3), decision.sources());
  }

  @Test
  void anIrreplaceableRewoundComponentStaysAndIsNoSource() {
    PendingListRecord write = stripe(6, 0, 3, 4);
    knows(0, 5, LONG, write);
    knows(1, 5, LONG);
    for (int component : List.of(2, 3, 4)) {
      knows(component, 3, LONG);
    }
    ResolvePlan plan = plan(2, 3, 4);
    assertEquals(set(), plan.leftOut());
    assertEquals(set(2, 3, 4), plan.damaged());
    assertEquals(List.of(Verdict.UNDO), verdicts(plan));
    assertEquals(set(0, 3, 4), plan.decisions().get(0).targets());
  }

  @Test
  void aWriteThatNoComponentLacksIsKeptThoughSomeAreDamaged() {
    for (int component : List.of(0, 1, 2, 3, 4)) {
      knows(component, component < 2 ? 5 : 3, LONG, stripe(6, 0, 1, 2, 3, 4));
    }
    ResolvePlan plan = plan(2, 3, 4);
    assertEquals(set(2, 3, 4), plan.damaged());
    assertEquals(List.of(Verdict.FORWARD), verdicts(plan));
    assertEquals(set(), plan.decisions().get(0).targets());
  }

  /** What it replaced may be older than what was XORed onto the parities. */
  @Test
  void theDeltaOfADamagedComponentIsNotBelieved() {
    knows(0, 3, LONG, listed(6, PendingListRecord.Kind.XOR_DATA, 0, 3, 4));
    knows(1, 3, LONG);
    knows(2, 3, LONG);
    knows(3, 5, LONG);
    knows(4, 5, LONG);
    ResolvePlan plan = plan(0, 1, 2);
    assertEquals(set(0, 1, 2), plan.damaged());
    assertEquals(List.of(Verdict.UNDO), verdicts(plan));
  }

  /** The others have not dropped these yet, so that it is known which took part. */
  @Test
  void aComponentThatHasWhatItTookPartInIsNotBehind() {
    knows(0, 5, LONG);
    knows(1, 3, LONG, stripe(4, 0, 1, 3, 4), stripe(5, 0, 2, 3, 4));
    knows(2, 3, LONG, stripe(5, 0, 2, 3, 4));
    knows(3, 3, LONG, stripe(4, 0, 1, 3, 4), stripe(5, 0, 2, 3, 4));
    knows(4, 3, LONG, stripe(4, 0, 1, 3, 4));
    ResolvePlan plan = plan(1, 2, 3, 4);
    assertEquals(set(4), plan.damaged(), "it took part in the last, and does not list it");
  }

  /**
   * Nothing else tells which component is behind, should the manager die before the map says it.
   */
  @Test
  void aComponentThatIsBehindIsNotToldWhatIsComplete() {
    List<Boolean> trusted = new ArrayList<>();
    knows(0, 5, LONG, stripe(6, 0, 3, 4));
    knows(1, 5, LONG);
    knows(2, 5, LONG);
    knows(3, 5, LONG, stripe(6, 0, 3, 4));
    knows(4, 3, LONG, stripe(4, 0, 4));
    ResolvePlan plan = plan(2, 3, 4);
    IntStream.range(0, 5).forEach(each -> trusted.add(plan.isTrusted(each)));
    assertEquals(List.of(true, true, true, true, false), trusted);
    assertEquals(6, plan.completeUpTo().get(GRANT));
    List.of(0, 1, 2, 3).forEach(each -> knows(each, 6, LONG));
    assertEquals(set(), new TreeSet<>(plan(2, 3, 4).completeUpTo().keySet()), "it is over");
    assertEquals(set(4), plan(2, 3, 4).damaged(), "and it is still known which one was behind");
  }

  /**
   * Components that took part in the next grant have dropped what is older, and others have not.
   */
  @Test
  void marksOfOlderGrantsTellNothing() {
    List.of(0, 1, 2, 3).forEach(each -> knows(each, 5, LONG));
    TreeMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    marks.put(GRANT, 5L);
    marks.put(GRANT - 1, 9L);
    states.put(4, new ComponentState(List.of(), marks, LONG, 0, UNIT_BYTES));
    assertEquals(set(), plan(0, 1, 2).damaged());
  }

  @Test
  void aSmallFileLivesOnInOneCopyThatIsNotBehind() {
    knows(1, 2, 100);
    knows(2, 1, 100);
    missing = set(0);
    publishedBytes = 100;
    assertEquals(set(2), plan(1, 2).leftOut());
    assertEquals(set(), plan(1, 2).damaged());
  }

  private void resolvedBelow(int component, long below, PendingListRecord... records) {
    ComponentState before = states.get(component);
    states.put(
        component,
        new ComponentState(
            List.of(records),
            before == null ? new TreeMap<>() : before.completeUpTo(),
            LONG,
            0,
            UNIT_BYTES,
            below));
  }

  /** A later grant's floor has taken the marks away by which they could be compared. */
  @Test
  void aComponentWithoutWordOfAResolvedGrantMayBeRewound() {
    for (int component = 0; component < 5; component++) {
      resolvedBelow(component, GRANT + 1);
    }
    assertEquals(set(), plan(1, 2, 3).damaged());
    knows(2, 1, LONG);
    assertEquals(set(2), plan(1, 2, 3).damaged());
  }

  /** It has the marks no more that another one has still. */
  @Test
  void aComponentThatCallsAGrantResolvedHadAllOfIt() {
    for (int component = 0; component < 5; component++) {
      resolvedBelow(component, GRANT + 1);
    }
    knows(4, 3, LONG);
    assertEquals(set(), plan(1, 2, 3).damaged());
  }

  /** One has not heard of it: its record is not to be undone. */
  @Test
  void aGrantThatAnyComponentCallsResolvedIsComplete() {
    for (int component = 0; component < 5; component++) {
      resolvedBelow(component, GRANT + 1);
    }
    knows(3, 0, LONG, stripe(1, 0, 3, 4));
    assertEquals(List.of(), plan().decisions());
  }

  /**
   * Else it would be decided again for ever: a component that fell back is not told what is
   * complete.
   */
  @Test
  void aWriteOfARewoundComponentAloneIsNotDecided() {
    layout = new Layout(4, 0, UNIT_BYTES, 10, 1);
    for (int component = 0; component < 3; component++) {
      knows(component, 9, LONG);
    }
    knows(3, 5, LONG, stripe(10, 3));
    ResolvePlan plan = plan(1, 3);
    assertEquals(set(3), plan.damaged());
    assertEquals(List.of(), plan.decisions());
    assertEquals(new TreeMap<>(), plan.completeUpTo());
  }

  private void fellBack(int component, long firstBlock, long endBlock) {
    ComponentState state = states.get(component);
    TreeMap<Long, Long> givenBack = new TreeMap<>();
    givenBack.put(firstBlock, endBlock);
    states.put(
        component,
        new ComponentState(
            state.records(),
            state.completeUpTo(),
            state.eofBytes(),
            state.truncationNumber(),
            state.componentBytes(),
            state.resolvedBelow(),
            givenBack));
  }

  /** Component 1 takes no part, but what it holds there is older than the stripe. */
  @Test
  void aStripeWriteIsNotDecodedFromWhatFellBack() {
    missing = set(2);
    knows(0, 0, LONG, stripe(1, 0, 3, 4));
    knows(1, 0, LONG);
    knows(3, 0, LONG, stripe(1, 0, 3, 4));
    knows(4, 0, LONG);
    assertEquals(List.of(Verdict.FORWARD), verdicts(plan(1)));
    fellBack(1, 5, 9);
    assertEquals(List.of(Verdict.FORWARD), verdicts(plan(1)), "elsewhere");
    fellBack(1, 1, 2);
    assertEquals(List.of(Verdict.UNDO), verdicts(plan(1)));
  }

  /** A δ on other bytes than those it was made of gives bytes that no client wrote. */
  @Test
  void noDeltaIsAddedToARewoundComponent() {
    missing = set(2);
    knows(0, 0, LONG);
    knows(1, 0, LONG);
    knows(3, 0, LONG, listed(1, PendingListRecord.Kind.XOR_DELTA, 0, 3, 4));
    knows(4, 0, LONG, listed(1, PendingListRecord.Kind.XOR_DELTA, 0, 3, 4));
    assertEquals(List.of(Verdict.APPLY), verdicts(plan(0)));
    fellBack(0, 1, 2);
    assertEquals(List.of(Verdict.UNDO), verdicts(plan(0)));
  }
}
