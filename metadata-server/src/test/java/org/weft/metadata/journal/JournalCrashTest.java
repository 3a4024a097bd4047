package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * P 6.1 and 6.3, with a loss of power at any operation on the disk. Acknowledged records are there,
 * other records are there whole or not at all, and damage is not taken for a torn tail.
 */
class JournalCrashTest {
  private static final JournalOptions SMALL =
      new JournalOptions(12 << 10, 4 << 10, 2 * JournalLog.MAX_RECORD_BYTES, 1 << 14);

  /** What a run appended, and what of it was acknowledged. */
  private static final class Run {
    final SortedMap<Lsn, JournalRecord> appended = new TreeMap<>();
    final SortedMap<Lsn, CompletableFuture<Void>> acknowledgements = new TreeMap<>();
    final SortedMap<Lsn, CompletableFuture<Void>> snapshots = new TreeMap<>();
    Lsn droppedBelow = Lsn.ZERO;

    Lsn lastAcknowledged() {
      Lsn last = Lsn.ZERO;
      for (Lsn lsn : acknowledgements.keySet()) {
        if (isDone(acknowledgements.get(lsn))) {
          last = lsn;
        }
      }
      return last;
    }

    private static boolean isDone(CompletableFuture<Void> future) {
      return future.isDone() && !future.isCompletedExceptionally();
    }
  }

  private static FileJournal open(
      PowerLossDirectory directory, StepScheduler scheduler, Random random) throws IOException {
    return FileJournal.open(directory, Samples.IDENTITY, scheduler, random, SMALL);
  }

  /** Appends in bursts, with snapshots and drops, until the steps or the power are gone. */
  private static void work(
      PowerLossDirectory directory, Run run, long epoch, int steps, Random random) {
    StepScheduler scheduler = new StepScheduler();
    FileJournal log;
    try {
      log = open(directory, scheduler, random);
    } catch (IOException powerGone) {
      return;
    }
    long index = 0;
    for (int step = 0; step < steps; step++) {
      for (int burst = random.nextInt(6); burst >= 0; burst--) {
        JournalRecord record = Samples.record(Lsn.of(epoch, index++), random);
        run.appended.put(record.lsn(), record);
        run.acknowledgements.put(record.lsn(), log.append(record).toCompletableFuture());
      }
      if (random.nextInt(4) == 0) {
        Lsn asOf = run.appended.lastKey();
        run.snapshots.put(asOf, log.writeSnapshot(stateAsOf(asOf)).toCompletableFuture());
      }
      scheduler.runAll();
      if (random.nextInt(3) == 0) {
        Lsn last = run.lastAcknowledged();
        if (last.compareTo(run.droppedBelow) > 0) {
          run.droppedBelow = last;
          log.dropBelow(last);
          scheduler.runAll();
        }
      }
    }
  }

  private static List<LiveEffect> stateAsOf(Lsn lsn) {
    return List.of(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, lsn.value()));
  }

  private static void check(PowerLossDirectory directory, Run run, String where)
      throws IOException {
    JournalContents contents = open(directory, new StepScheduler(), new Random(1)).contents();
    Lsn acknowledged = run.lastAcknowledged();
    assertTrue(
        contents.lastLsn().compareTo(acknowledged) >= 0,
        where + ": acknowledged " + acknowledged + ", found up to " + contents.lastLsn());
    // The counter as of the last record says whether live state is whole.
    long counter = 0;
    for (LiveEffect effect : contents.liveState()) {
      counter = ((LiveEffect.Counter) effect).next();
    }
    Lsn previous = Lsn.ZERO;
    List<Lsn> found = new ArrayList<>();
    for (JournalRecord record : contents.records()) {
      assertTrue(previous.compareTo(record.lsn()) < 0, where);
      previous = record.lsn();
      found.add(record.lsn());
      JournalRecord original = run.appended.get(record.lsn());
      assertNotNull(original, where);
      List<Effect> left = new ArrayList<>(original.effects());
      if (record.lsn().compareTo(run.droppedBelow) < 0
          && record.effects().stream().noneMatch(effect -> effect instanceof ObjectEffect)) {
        left.removeIf(effect -> effect instanceof ObjectEffect);
      }
      if (record.effects().stream().noneMatch(effect -> effect instanceof LiveEffect)) {
        left.removeIf(effect -> effect instanceof LiveEffect);
      }
      assertEquals(left, record.effects(), where + " " + record.lsn());
      for (Effect effect : record.effects()) {
        if (effect instanceof LiveEffect.Counter value) {
          counter = value.next();
        }
      }
    }
    assertEquals(contents.lastLsn().value(), counter, where + ": live state");
    for (Lsn lsn : run.appended.tailMap(run.droppedBelow).headMap(contents.lastLsn()).keySet()) {
      boolean hasObjects =
          run.appended.get(lsn).effects().stream().anyMatch(e -> e instanceof ObjectEffect);
      assertTrue(!hasObjects || found.contains(lsn), where + ": " + lsn + " is gone");
    }
    run.appended.keySet().removeIf(lsn -> lsn.compareTo(contents.lastLsn()) > 0);
    run.acknowledgements.keySet().removeIf(lsn -> lsn.compareTo(contents.lastLsn()) > 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void acknowledgedRecordsSurviveLossOfPowerAtEveryOperation(long seed) throws IOException {
    PowerLossDirectory whole = new PowerLossDirectory();
    work(whole, new Run(), 1, 40, new Random(seed));
    int operations = whole.operations();
    assertTrue(operations > 100, "the run is worth it");
    for (int at = 0; at <= operations; at++) {
      PowerLossDirectory directory = new PowerLossDirectory();
      Run run = new Run();
      directory.losePowerAfter(at);
      work(directory, run, 1, 40, new Random(seed));
      for (int boot = 0; boot < 4; boot++) {
        PowerLossDirectory booted = directory.restart(new Random(seed * 1000 + boot));
        check(booted, copyOf(run), "seed " + seed + ", operation " + at + ", boot " + boot);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void consecutiveCrashesLoseNothing(long seed) throws IOException {
    Random random = new Random(seed);
    PowerLossDirectory directory = new PowerLossDirectory();
    Run run = new Run();
    for (int epoch = 1; epoch <= 40; epoch++) {
      directory.losePowerAfter(random.nextInt(60));
      work(directory, run, epoch, 10, random);
      directory = directory.restart(random);
      directory.losePowerAfter(random.nextInt(12));
      try {
        open(directory, new StepScheduler(), random);
      } catch (IOException powerGone) {
        directory = directory.restart(random);
      }
      directory.losePowerAfter(Integer.MAX_VALUE);
      check(directory, run, "seed " + seed + ", epoch " + epoch);
      directory = directory.copy();
    }
  }

  private static Run copyOf(Run run) {
    Run copy = new Run();
    copy.appended.putAll(run.appended);
    copy.acknowledgements.putAll(run.acknowledgements);
    copy.droppedBelow = run.droppedBelow;
    return copy;
  }

  /** Three files of several groups each, all acknowledged. */
  private static PowerLossDirectory filled() throws IOException {
    PowerLossDirectory directory = new PowerLossDirectory();
    StepScheduler scheduler = new StepScheduler();
    Random random = new Random(3);
    FileJournal log = open(directory, scheduler, random);
    for (int index = 0; directory.list().size() < 3 || index % 10 != 0; index++) {
      log.append(Samples.record(Lsn.of(1, index), random));
      scheduler.runAll();
    }
    return directory.copy();
  }

  @Test
  void damageBeforeTheLastGroupIsNamedByFileAndOffset() throws IOException {
    PowerLossDirectory whole = filled();
    int records =
        open(whole.copy(), new StepScheduler(), new Random(1)).contents().records().size();
    int refused = 0;
    for (String name : whole.list()) {
      int length = whole.bytesOf(name).length;
      for (int at = 0; at < length; at += 97) {
        PowerLossDirectory damaged = whole.copy();
        damaged.bytesOf(name)[at] ^= 0x40;
        try {
          JournalContents contents = open(damaged, new StepScheduler(), new Random(1)).contents();
          assertTrue(contents.records().size() >= records - 1, name + " at " + at);
        } catch (WeftException expected) {
          refused++;
          assertTrue(
              expected.code() == ErrorCode.BAD_CHECKSUM, name + " at " + at + ": " + expected);
          assertTrue(expected.getMessage().contains(name), expected.getMessage());
          assertTrue(expected.getMessage().contains("at offset "), expected.getMessage());
        }
      }
    }
    assertTrue(refused > 200, "refused " + refused);
  }

  @Test
  void aLostFileInTheMiddleIsNamed() throws IOException {
    PowerLossDirectory directory = filled();
    String middle = directory.list().get(1);
    directory.delete(middle);
    WeftException refused = null;
    try {
      open(directory, new StepScheduler(), new Random(1));
    } catch (WeftException e) {
      refused = e;
    }
    assertNotNull(refused);
    assertTrue(refused.getMessage().contains(middle), refused.getMessage());
  }

  @Test
  void randomDamageIsRefusedOrCutAndNothingElse() throws IOException {
    PowerLossDirectory whole = filled();
    List<String> names = whole.list();
    Random random = new Random(17);
    for (int round = 0; round < 2_000; round++) {
      PowerLossDirectory damaged = whole.copy();
      byte[] bytes = damaged.bytesOf(names.get(random.nextInt(names.size())));
      int from = random.nextInt(bytes.length);
      int to = Math.min(bytes.length, from + 1 + random.nextInt(600));
      for (int at = from; at < to; at++) {
        bytes[at] = (byte) (random.nextBoolean() ? 0 : random.nextInt(256));
      }
      try {
        open(damaged, new StepScheduler(), new Random(1));
      } catch (WeftException expected) {
        assertTrue(expected.getMessage().contains("journal-"), expected.getMessage());
      }
    }
  }
}
