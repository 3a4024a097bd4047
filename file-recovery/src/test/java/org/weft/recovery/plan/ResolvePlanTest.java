package org.weft.recovery.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.plan.WriteDecision.Verdict;

/**
 * The rules of P 5.5, in all cases: which participants hold a write, and which components are lost,
 * before the resolve and in the middle of it.
 */
class ResolvePlanTest {
  private static final int MAX_K = Integer.getInteger("weft.resolve.k", 5);
  private static final int MAX_M = 3;

  /** All subsets of at most so many of the bits. */
  private static void subsets(BitSet of, int most, Consumer<BitSet> each) {
    int[] bits = of.stream().toArray();
    for (int mask = 0; mask < 1 << bits.length; mask++) {
      if (Integer.bitCount(mask) <= most) {
        BitSet subset = new BitSet();
        for (int i = 0; i < bits.length; i++) {
          subset.set(bits[i], (mask & 1 << i) != 0);
        }
        each.accept(subset);
      }
    }
  }

  private static BitSet all(int width) {
    BitSet all = new BitSet();
    all.set(0, width);
    return all;
  }

  /** Every code, every size of write, every set of holders, every loss that the code bears. */
  private static long forAllFiles(
      int mostK, PendingListRecord.Kind kind, Consumer<PlannedFile> check) {
    long[] cases = new long[1];
    for (int k = 1; k <= mostK; k++) {
      for (int m = 0; m <= MAX_M; m++) {
        int mostUnits = kind == PendingListRecord.Kind.STRIPE ? k : 1;
        for (int units = 1; units <= mostUnits; units++) {
          BitSet participants = PlannedFile.participants(k, m, units);
          int width = k + m;
          int losses = m;
          PlannedFile empty = new PlannedFile(k, m, kind, participants);
          subsets(
              participants,
              width,
              holders ->
                  subsets(
                      all(width),
                      losses,
                      lost -> {
                        PlannedFile file = empty.copy();
                        holders.stream().forEach(file::arriveAt);
                        file.lost.or(lost);
                        cases[0]++;
                        check.accept(file);
                      }));
        }
      }
    }
    return cases[0];
  }

  /** As it is now, put into words only if they are needed: there are a million cases. */
  private static Supplier<String> describe(PlannedFile file) {
    PlannedFile now = file.copy();
    return () -> words(now);
  }

  private static String words(PlannedFile file) {
    return "k=%d m=%d T=%s held by %s, lost %s"
        .formatted(
            file.layout.dataUnits(),
            file.layout.parityUnits(),
            file.participants,
            file.recorded,
            file.lost);
  }

  private static void assertResolves(PlannedFile file) {
    Supplier<String> what = describe(file);
    boolean acknowledged = file.isHeldByAll();
    file.resolve();
    file.assertAgrees(acknowledged, what);
    assertTrue(PlannedFile.steps(file.plan()).isEmpty(), () -> what.get() + ": decided again");
  }

  @Test
  void noAcknowledgedStripeWriteIsLostAndAllComponentsAgree() {
    long cases = forAllFiles(MAX_K, PendingListRecord.Kind.STRIPE, ResolvePlanTest::assertResolves);
    assertTrue(cases > 50_000, "cases: " + cases);
  }

  @Test
  void noAcknowledgedXorWriteIsLostAndAllComponentsAgree() {
    long cases =
        forAllFiles(MAX_K, PendingListRecord.Kind.XOR_DATA, ResolvePlanTest::assertResolves);
    assertTrue(cases > 1_000, "cases: " + cases);
  }

  /** The manager dies after any step; another component may be lost; the next one begins anew. */
  private static void assertGoesOn(PlannedFile file) {
    Supplier<String> what = describe(file);
    boolean acknowledged = file.isHeldByAll();
    ResolvePlan plan = file.plan();
    int steps = PlannedFile.steps(plan).size();
    for (int done = 0; done <= steps; done++) {
      PlannedFile interrupted = file.copy();
      int left = done;
      for (WriteDecision decision : plan.decisions()) {
        for (int target : decision.targets()) {
          if (left-- > 0) {
            interrupted.carryOut(decision, target);
          }
        }
      }
      int after = done;
      Supplier<String> then = () -> what.get() + ", after " + after + " steps";
      loseMore(interrupted, acknowledged, then);
      if (done == steps && !plan.completeUpTo().isEmpty()) {
        completeSome(interrupted, acknowledged, then);
      }
    }
  }

  private static void loseMore(PlannedFile file, boolean acknowledged, Supplier<String> what) {
    PlannedFile same = file.copy();
    same.resolve();
    same.assertAgrees(acknowledged, what);
    if (file.lost.cardinality() < file.layout.parityUnits()) {
      for (int more = 0; more < file.layout.width(); more++) {
        PlannedFile less = file.copy();
        less.lost.set(more);
        less.resolve();
        int also = more;
        less.assertAgrees(acknowledged, () -> what.get() + ", then " + also + " lost");
      }
    }
  }

  /** It dies while it tells that everything is complete. */
  private static void completeSome(PlannedFile file, boolean acknowledged, Supplier<String> what) {
    for (int first = 0; first < file.layout.width(); first++) {
      PlannedFile told = file.copy();
      for (int component = first; component < file.layout.width(); component++) {
        told.complete(component);
      }
      int from = first;
      loseMore(told, acknowledged, () -> what.get() + ", completion told from " + from + " on");
    }
  }

  @Test
  void aResolveThatWasInterruptedGoesOnWithoutHarm() {
    long cases = forAllFiles(3, PendingListRecord.Kind.STRIPE, ResolvePlanTest::assertGoesOn);
    cases += forAllFiles(3, PendingListRecord.Kind.XOR_DATA, ResolvePlanTest::assertGoesOn);
    assertTrue(cases > 3_000, "cases: " + cases);
  }

  /** The writer has begun to take it back, for want of space. */
  @Test
  void aWriteThatItsWriterBeganToUndoIsUndone() {
    for (PendingListRecord.Kind kind :
        List.of(PendingListRecord.Kind.STRIPE, PendingListRecord.Kind.XOR_DATA)) {
      PlannedFile file = new PlannedFile(4, 2, kind, PlannedFile.participants(4, 2, 1));
      file.participants.stream().forEach(file::arriveAt);
      int one = file.participants.nextSetBit(0);
      file.isNew.clear(one);
      file.recorded.clear(one);
      file.aborted.set(one);
      file.resolve();
      file.assertAgrees(false, kind::toString);
      assertTrue(file.isNew.isEmpty(), "it is gone everywhere");
    }
  }

  /** Three of four units are as before whatever becomes of the write: one more is enough. */
  @Test
  void aSmallWriteIsKeptThoughFewerThanKHaveIt() {
    PlannedFile file =
        new PlannedFile(4, 1, PendingListRecord.Kind.STRIPE, PlannedFile.participants(4, 1, 1));
    file.arriveAt(file.layout.dataComponent(PlannedFile.STRIPE, 0));
    WriteDecision decision = file.plan().decisions().get(0);
    assertEquals(Verdict.FORWARD, decision.verdict());
    assertEquals(
        List.of(file.layout.parityComponent(PlannedFile.STRIPE, 0)),
        List.copyOf(decision.targets()));
  }

  private static StorageMap map(Layout layout, Integer... missing) {
    List<OsdId> osds =
        java.util.stream.IntStream.rangeClosed(1, layout.componentCount())
            .mapToObj(OsdId::new)
            .toList();
    return new StorageMap(layout, osds, 1, new TreeSet<>(List.of(missing)), List.of());
  }

  private static final PendingId ID = new PendingId(Lsn.of(3, 7).value(), 1, 1);

  private static ComponentState holding(long eofBytes, Integer... participants) {
    return new ComponentState(
        List.of(
            new PendingListRecord(
                ID, PendingListRecord.Kind.STRIPE, List.of(participants), 0, 100, eofBytes, 0)),
        new TreeMap<>(),
        eofBytes,
        0,
        100);
  }

  private static ComponentState atRest(long eofBytes) {
    return new ComponentState(List.of(), new TreeMap<>(), eofBytes, 0, eofBytes);
  }

  /** Of m + 1 copies m are lost, and the places of the other units too: the last copy counts. */
  @Test
  void aSmallFileLivesOnInItsLastCopy() {
    Layout layout = new Layout(4, 2, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(2, holding(100, 0, 1, 2));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout, 0, 1), states, 0, 0, 0));
    assertEquals(Verdict.FORWARD, plan.decisions().get(0).verdict());
    assertEquals(new TreeSet<>(List.of(3, 4, 5)), plan.decisions().get(0).zeros());
  }

  /** One component has heard of a longer file: then d_1 .. may be more than zeros. */
  @Test
  void aFileThatHasGrownIsNoMereCopy() {
    Layout layout = new Layout(4, 1, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(1, holding(20_000, 0, 1));
    states.put(2, atRest(20_000));
    states.put(3, atRest(20_000));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout, 0, 4), states, 0, 20_000, 0));
    assertEquals(Verdict.UNDO, plan.decisions().get(0).verdict());
  }

  @Test
  void aPublishedComponentThatIsNotThereIsLost() {
    Layout layout = new Layout(2, 1, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(0, holding(20_000, 0, 1, 2));
    states.put(1, holding(20_000, 0, 1, 2));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout), states, 0, 20_000, 0));
    assertEquals(new TreeSet<>(List.of(2)), plan.lost());
    assertEquals(List.of(), plan.decisions());
    states.put(2, atRest(0));
    assertEquals(
        new TreeSet<>(List.of(2)),
        ResolvePlan.of(new KnownFile(map(layout), states, 0, 20_000, 0)).lost(),
        "made anew it is lost as well");
  }

  /** Nothing of it was published, and the writer had not come so far as to make all of them. */
  @Test
  void aComponentThatWasNeverMadeIsMade() {
    Layout layout = new Layout(2, 1, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(0, holding(20_000, 0, 1, 2));
    states.put(1, holding(20_000, 0, 1, 2));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout), states, 0, 0, 0));
    assertEquals(Verdict.FORWARD, plan.decisions().get(0).verdict());
    assertEquals(new TreeSet<>(List.of(2)), plan.decisions().get(0).targets());
  }

  /**
   * Components that have no bytes of a write, and know how long the file is by it, are no holders
   * of it; they forget the length with it (P 4.3).
   */
  @Test
  void aLengthIsTakenBackWithItsWrite() {
    Layout layout = new Layout(4, 1, 8192, 10, 1);
    PendingListRecord bytes =
        new PendingListRecord(
            ID, PendingListRecord.Kind.STRIPE, List.of(0, 1, 2), 0, 8192, 20_000, 0);
    PendingListRecord told =
        new PendingListRecord(ID, PendingListRecord.Kind.STRIPE, List.of(0, 1, 2), 0, 0, 20_000, 0);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(0, new ComponentState(List.of(bytes), new TreeMap<>(), 20_000, 0, 8192));
    states.put(1, atRest(3000));
    states.put(3, new ComponentState(List.of(told), new TreeMap<>(), 20_000, 0, 0));
    states.put(4, new ComponentState(List.of(told), new TreeMap<>(), 20_000, 0, 0));
    WriteDecision undone = only(states, layout);
    assertEquals(Verdict.UNDO, undone.verdict(), "one has it, two have no part in it: not four");
    assertEquals(new TreeSet<>(List.of(0, 1, 3, 4)), undone.targets());
    states.remove(0);
    assertEquals(Verdict.UNDO, only(states, layout).verdict());
    assertEquals(new TreeSet<>(List.of(1, 3, 4)), only(states, layout).targets());
    states.put(0, new ComponentState(List.of(bytes), new TreeMap<>(), 20_000, 0, 8192));
    states.put(1, new ComponentState(List.of(bytes), new TreeMap<>(), 20_000, 0, 8192));
    WriteDecision kept = only(states, layout);
    assertEquals(Verdict.FORWARD, kept.verdict());
    assertEquals(new TreeSet<>(List.of(2)), kept.targets(), "the others have nothing to hold");
  }

  private static WriteDecision only(SortedMap<Integer, ComponentState> states, Layout layout) {
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout), states, 0, 0, 0));
    assertEquals(new TreeSet<Integer>(), plan.lost());
    assertEquals(1, plan.decisions().size());
    return plan.decisions().get(0);
  }

  /** One component knows that it is complete, and has forgotten it. */
  @Test
  void aWriteCompleteOnOneComponentIsCompleteEverywhere() {
    Layout layout = new Layout(2, 1, 8192, 10, 1);
    TreeMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    marks.put(ID.grant(), 4L);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(0, holding(20_000, 0, 2));
    states.put(1, atRest(20_000));
    states.put(2, new ComponentState(List.of(), marks, 20_000, 0, 100));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout), states, 0, 20_000, 0));
    assertEquals(List.of(), plan.decisions());
    assertEquals(4L, plan.completeUpTo().get(ID.grant()));
  }

  /** Its writer closed the file in order, and one component has not heard that it is complete. */
  @Test
  void writesOfAnEndedGrantAreComplete() {
    Layout layout = new Layout(2, 1, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    states.put(0, holding(20_000, 0, 2));
    states.put(1, atRest(20_000));
    states.put(2, atRest(20_000));
    ResolvePlan plan =
        ResolvePlan.of(new KnownFile(map(layout), states, ID.grant() + 1, 20_000, 0));
    assertEquals(List.of(), plan.decisions());
    assertEquals(1L, plan.completeUpTo().get(ID.grant()));
  }

  @Test
  void idsAreDecidedOldestFirst() {
    Layout layout = new Layout(2, 1, 8192, 10, 1);
    SortedMap<Integer, ComponentState> states = new TreeMap<>();
    long older = Lsn.of(3, 6).value();
    List<PendingListRecord> records =
        List.of(
            record(new PendingId(ID.grant(), 4, 2), 8192),
            record(new PendingId(ID.grant(), 2, 1), 0),
            record(new PendingId(older, 9, 1), 16_384));
    states.put(0, new ComponentState(records, new TreeMap<>(), 60_000, 0, 30_000));
    states.put(1, new ComponentState(records, new TreeMap<>(), 60_000, 0, 30_000));
    states.put(2, atRest(60_000));
    ResolvePlan plan = ResolvePlan.of(new KnownFile(map(layout), states, 0, 60_000, 0));
    assertEquals(
        List.of(9L, 2L, 4L), plan.decisions().stream().map(each -> each.id().firstSeq()).toList());
    assertEquals(5L, plan.completeUpTo().get(ID.grant()));
    assertEquals(9L, plan.completeUpTo().get(older));
  }

  private static PendingListRecord record(PendingId id, long offsetBytes) {
    return new PendingListRecord(
        id, PendingListRecord.Kind.STRIPE, List.of(0, 1), offsetBytes, 8192, 60_000, 0);
  }
}
