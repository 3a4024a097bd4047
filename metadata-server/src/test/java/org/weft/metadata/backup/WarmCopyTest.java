package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/** What a warm state takes, and what makes it cold (P 6.3a). */
class WarmCopyTest {
  private static final long BUDGET = 1_000;

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final List<WarmDoubt> doubts = new ArrayList<>();
  private final WarmBudget budget = new WarmBudget(BUDGET);
  private final WarmCopy copy =
      new WarmCopy(7, "weft", tasks::addLast, waiting::addLast, budget, doubts::add);

  private void work() {
    while (!waiting.isEmpty()) {
      tasks.addLast(waiting.removeFirst());
    }
    runTasks();
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  private static JournalEntry record(long epoch, long index) {
    return JournalEntry.of(
        new JournalRecord(
            Lsn.of(epoch, index), List.of(new LiveEffect.Counter(CounterKind.OBJECT, index))));
  }

  private static JournalEntry removal(long index) {
    return JournalEntry.of(
        new JournalRecord(
            Lsn.of(1, index),
            List.of(new ObjectEffect.RemoveObject(new ObjectId(index), List.of()))));
  }

  private void durable(boolean whole, JournalEntry... entries) {
    copy.durable(List.of(entries), Lsn.ZERO, whole);
  }

  private Optional<WarmVolume> takenAt(Lsn newest) {
    var taken = copy.takeOver(null, newest, Optional.empty());
    // What waits for others is not waited for.
    runTasks();
    return taken.join();
  }

  private OptionalLong counter(WarmVolume warm) {
    return warm.state().snapshot().stream()
        .filter(LiveEffect.Counter.class::isInstance)
        .map(LiveEffect.Counter.class::cast)
        .filter(each -> each.kind() == CounterKind.OBJECT)
        .mapToLong(LiveEffect.Counter::next)
        .findFirst();
  }

  @Test
  void waitingRecordsAreAppliedBeforeTheTakeOver() {
    durable(true, record(1, 1), record(1, 2));
    work();
    durable(true, record(1, 3), record(3, 1));
    assertEquals(2, copy.status().behind());
    assertEquals(Lsn.of(1, 2), copy.status().applied());
    WarmVolume warm = takenAt(Lsn.of(3, 1)).orElseThrow();
    assertEquals(Lsn.of(3, 1), warm.lastLsn());
    assertEquals(OptionalLong.of(1), counter(warm));
    assertEquals(List.of(), doubts);
  }

  @Test
  void aGapMakesItColdForGood() {
    durable(true, record(1, 1), record(1, 3));
    work();
    assertEquals(WarmStatus.Phase.COLD, copy.status().phase());
    durable(true, record(1, 4));
    assertTrue(takenAt(Lsn.of(1, 4)).isEmpty());
    assertEquals(List.of(WarmDoubt.GAP), doubts);
    assertEquals(BUDGET, budget.left(), "nothing is kept of it");
  }

  @Test
  void aSnapshotIsAsOfTheRecordBeforeIt() {
    durable(true, record(1, 1), JournalEntry.ofSnapshot(Lsn.of(1, 2), List.of()));
    work();
    assertEquals(List.of(WarmDoubt.GAP), doubts);
  }

  @Test
  void journalAheadOfTheWarmStateIsAGap() {
    durable(true, record(1, 1));
    assertTrue(takenAt(Lsn.of(1, 2)).isEmpty());
    assertEquals(List.of(WarmDoubt.GAP), doubts);
  }

  @Test
  void unreadableRecordMakesTheStateCold() {
    durable(true, new JournalEntry(false, Lsn.of(1, 1), List.of(new byte[] {7, 7, 7})));
    work();
    assertEquals(List.of(WarmDoubt.NOT_APPLIED), doubts);
  }

  @Test
  void incompleteCopyIsNotTakenOver() {
    durable(false, record(1, 1));
    assertTrue(takenAt(Lsn.of(1, 1)).isEmpty());
    assertEquals(List.of(WarmDoubt.NOT_WHOLE), doubts);
  }

  @Test
  void recordsWithoutRedoAreDropped() {
    durable(true, removal(1), removal(2), removal(3), record(1, 4));
    work();
    assertEquals(3, copy.status().redoRecords());
    long left = budget.left();
    copy.durable(List.of(), Lsn.of(1, 3), true);
    work();
    assertEquals(1, copy.status().redoRecords());
    assertTrue(budget.left() > left);
    WarmVolume warm = takenAt(Lsn.of(1, 4)).orElseThrow();
    assertEquals(List.of(Lsn.of(1, 3)), warm.redo().stream().map(JournalRecord::lsn).toList());
    assertEquals(BUDGET, budget.left());
  }

  @Test
  void recordsBeyondTheBudgetMakeTheStateCold() {
    long index = 0;
    while (doubts.isEmpty() && index < BUDGET) {
      index++;
      durable(true, removal(index));
      work();
    }
    assertEquals(List.of(WarmDoubt.TOO_MUCH), doubts);
    assertFalse(copy.status().reason().isEmpty());
    work();
    assertEquals(BUDGET, budget.left());
  }

  @Test
  void snapshotBeyondTheBudgetKeepsTheStateWarm() {
    List<LiveEffect> many = new ArrayList<>();
    for (int number = 0; number < BUDGET; number++) {
      many.add(new LiveEffect.Counter(CounterKind.OBJECT, number));
    }
    durable(true, record(1, 1), JournalEntry.ofSnapshot(Lsn.of(1, 1), many));
    work();
    assertEquals(WarmStatus.Phase.WARM, copy.status().phase());
    assertEquals(BUDGET, budget.left());
  }

  @Test
  void aNewSnapshotTakesThePlaceOfWhatWasApplied() {
    durable(true, record(1, 5), record(1, 6));
    durable(
        true,
        JournalEntry.ofSnapshot(
            Lsn.of(1, 6), List.of(new LiveEffect.Counter(CounterKind.OBJECT, 99))));
    assertEquals(OptionalLong.of(99), counter(takenAt(Lsn.of(1, 6)).orElseThrow()));
  }

  /** Memory runs out once, when some is given back. */
  private static final class FailingBudget extends WarmBudget {
    private boolean failing = true;

    FailingBudget() {
      super(BUDGET);
    }

    @Override
    void giveBack(long bytes) {
      if (failing && bytes > 0) {
        failing = false;
        throw new OutOfMemoryError("as if memory had run out");
      }
      super.giveBack(bytes);
    }
  }

  @Test
  void halfAppliedStateIsDiscardedAfterAnOutOfMemoryError() {
    WarmCopy half =
        new WarmCopy(7, "weft", tasks::addLast, waiting::addLast, new FailingBudget(), doubts::add);
    half.durable(
        List.of(closed(1), JournalEntry.ofSnapshot(Lsn.of(1, 1), List.of())), Lsn.ZERO, true);
    work();
    half.durable(List.of(record(1, 2)), Lsn.ZERO, true);
    var taken = half.takeOver(null, Lsn.of(1, 2), Optional.empty());
    work();
    assertEquals(Optional.empty(), taken.join());
    assertEquals(List.of(WarmDoubt.NOT_APPLIED), doubts);
  }

  @Test
  void aPromotionHearsOfAnErrorToo() {
    WarmCopy failing =
        new WarmCopy(
            7,
            "weft",
            tasks::addLast,
            waiting::addLast,
            budget,
            doubt -> {
              throw new OutOfMemoryError("as if memory had run out");
            });
    var taken = failing.takeOver(null, Lsn.of(1, 1), Optional.empty());
    work();
    assertTrue(taken.isCompletedExceptionally());
  }

  private static JournalEntry closed(long index) {
    return JournalEntry.of(
        new JournalRecord(
            Lsn.of(1, index),
            List.of(new LiveEffect.GrantClosed(Lsn.of(1, index), new ObjectId(index), 1))));
  }

  private static JournalEntry snapshot(long index, int effects) {
    List<LiveEffect> many = new ArrayList<>();
    for (int number = 0; number < effects; number++) {
      many.add(new LiveEffect.Counter(CounterKind.OBJECT, number));
    }
    return JournalEntry.ofSnapshot(Lsn.of(1, index), many);
  }

  @Test
  void oneSnapshotAtATimeIsKeptBesidesTheBudget() {
    durable(true, record(1, 1), snapshot(1, (int) BUDGET));
    assertEquals(List.of(), doubts);
    durable(true, record(1, 2), snapshot(2, (int) BUDGET));
    assertEquals(List.of(WarmDoubt.TOO_MUCH), doubts, "the first one waits still");
    work();
    assertEquals(BUDGET, budget.left());
    assertTrue(budget.takeApart(), "none waits any more");
  }
}
