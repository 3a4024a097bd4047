package org.weft.recovery.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * The components of one stripe under one pending write, without bytes: which have the new unit,
 * which have a record of it, which are lost. Plans are carried out on it step by step.
 */
final class PlannedFile {
  static final int UNIT_BYTES = 4096;
  static final long STRIPE = 1;

  /** What happens at one component, when its turn comes. */
  record Step(int component, WriteDecision.Verdict verdict) {}

  final Layout layout;
  final PendingListRecord.Kind kind;
  final PendingId id = new PendingId(Lsn.of(3, 7).value(), 5, 1);
  final BitSet participants;

  /** Components with the new unit. */
  final BitSet isNew = new BitSet();

  final BitSet recorded = new BitSet();
  final BitSet aborted = new BitSet();
  final BitSet complete = new BitSet();
  final BitSet lost = new BitSet();

  /**
   * A file of several stripes; the write is to its second one.
   *
   * @param kind STRIPE, or XOR_DATA for an XOR write
   */
  PlannedFile(int k, int m, PendingListRecord.Kind kind, BitSet participants) {
    this.layout = new Layout(k, m, UNIT_BYTES, 10, 1);
    this.kind = kind;
    this.participants = participants;
  }

  PlannedFile copy() {
    PlannedFile copy =
        new PlannedFile(layout.dataUnits(), layout.parityUnits(), kind, participants);
    copy.isNew.or(isNew);
    copy.recorded.or(recorded);
    copy.aborted.or(aborted);
    copy.complete.or(complete);
    copy.lost.or(lost);
    return copy;
  }

  /** The writes of a stripe write to the first data units of the stripe, with all its parities. */
  static BitSet participants(int k, int m, int dataUnits) {
    Layout layout = new Layout(k, m, UNIT_BYTES, 10, 1);
    BitSet participants = new BitSet();
    for (int unit = 0; unit < dataUnits; unit++) {
      participants.set(layout.dataComponent(STRIPE, unit));
    }
    for (int parity = 0; parity < m; parity++) {
      participants.set(layout.parityComponent(STRIPE, parity));
    }
    return participants;
  }

  void arriveAt(int component) {
    isNew.set(component);
    recorded.set(component);
  }

  boolean isHeldByAll() {
    BitSet left = (BitSet) participants.clone();
    left.andNot(recorded);
    return left.isEmpty();
  }

  ResolvePlan plan() {
    List<OsdId> osds = new ArrayList<>();
    for (int component = 0; component < layout.width(); component++) {
      osds.add(new OsdId(component + 1));
    }
    TreeSet<Integer> missing = new TreeSet<>();
    lost.stream().forEach(missing::add);
    TreeMap<Integer, ComponentState> states = new TreeMap<>();
    for (int component = 0; component < layout.width(); component++) {
      if (!lost.get(component)) {
        states.put(component, state(component));
      }
    }
    StorageMap map = new StorageMap(layout, osds, 1, missing, List.of());
    return ResolvePlan.of(new KnownFile(map, states, 0, 5 * layout.stripeBytes(), 0));
  }

  private ComponentState state(int component) {
    List<PendingListRecord> records = new ArrayList<>();
    if (recorded.get(component)) {
      records.add(record(component, kindOn(component)));
    } else if (aborted.get(component)) {
      records.add(new PendingListRecord(id, PendingListRecord.Kind.ABORTED, List.of(), 0, 0, 0, 0));
    }
    SortedMap<Long, Long> marks = new TreeMap<>(Long::compareUnsigned);
    if (complete.get(component)) {
      marks.put(id.grant(), id.lastSeq());
    }
    return new ComponentState(records, marks, 5 * layout.stripeBytes(), 0, 3L * UNIT_BYTES);
  }

  private PendingListRecord.Kind kindOn(int component) {
    boolean delta = kind != PendingListRecord.Kind.STRIPE && layout.roleOf(STRIPE, component) < 0;
    return delta ? PendingListRecord.Kind.XOR_DELTA : kind;
  }

  private PendingListRecord record(int component, PendingListRecord.Kind recordKind) {
    return new PendingListRecord(
        id,
        recordKind,
        participants.stream().boxed().toList(),
        layout.componentOffsetBytes(STRIPE),
        UNIT_BYTES,
        5 * layout.stripeBytes(),
        0);
  }

  /** Everything the plan does, in an order in which it may happen; completion last. */
  static List<Step> steps(ResolvePlan plan) {
    List<Step> steps = new ArrayList<>();
    for (WriteDecision decision : plan.decisions()) {
      decision.targets().forEach(each -> steps.add(new Step(each, decision.verdict())));
    }
    return steps;
  }

  /** One step; a decode must have what it needs. */
  void carryOut(WriteDecision decision, int component) {
    switch (decision.verdict()) {
      case FORWARD -> {
        assertDecodes(decision);
        arriveAt(component);
      }
      case APPLY -> {
        assertTrue(decision.holders().stream().anyMatch(recorded::get), "a component has the δ");
        arriveAt(component);
      }
      case UNDO -> {
        // Also where it has not arrived: there the word stays that it must not (P 5.4).
        assertTrue(!aborted.get(component), "once is enough");
        isNew.clear(component);
        recorded.clear(component);
        aborted.set(component);
      }
    }
  }

  private void assertDecodes(WriteDecision decision) {
    assertTrue(decision.sources().size() >= layout.dataUnits(), "k sources");
    for (int source : decision.sources()) {
      assertTrue(!lost.get(source), "a lost source");
      assertTrue(!participants.get(source) || isNew.get(source), "an old source");
    }
  }

  /** Carries out everything, and ends the write. */
  void resolve() {
    ResolvePlan plan = plan();
    assertEquals(0, plan.lost().size());
    for (WriteDecision decision : plan.decisions()) {
      decision.targets().forEach(each -> carryOut(decision, each));
    }
    if (!plan.completeUpTo().isEmpty()) {
      for (int component = 0; component < layout.width(); component++) {
        if (!lost.get(component)) {
          complete(component);
        }
      }
    }
  }

  void complete(int component) {
    complete.set(component);
    recorded.clear(component);
    aborted.clear(component);
  }

  /** The components that are left agree: the parity equation holds. */
  void assertAgrees(boolean mustBeNew, Supplier<String> what) {
    BitSet left = (BitSet) participants.clone();
    left.andNot(lost);
    BitSet have = (BitSet) left.clone();
    have.and(isNew);
    assertTrue(have.isEmpty() || have.equals(left), () -> what.get() + ": some are new, some old");
    if (mustBeNew) {
      assertEquals(left, have, () -> what.get() + ": an acknowledged write is gone");
    }
  }
}
