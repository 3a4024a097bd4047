package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineQueueTest {
  private static final long MILLI = 1_000_000;
  private static final long STEP = 1 << 23;

  private final ManualTime time = new ManualTime(null);
  private final List<Integer> expired = new ArrayList<>();
  private final DeadlineQueue<Integer> queue =
      new DeadlineQueue<>(time, time, Runnable::run, expired::add);

  @Test
  void firesNeverEarlyAndWithinAStep() {
    queue.add(time.nowNanos() + 100 * MILLI, 1);
    time.advanceMillis(99);
    assertEquals(List.of(), expired);
    time.advanceMillis(10);
    assertEquals(List.of(1), expired);
    assertEquals(0, time.timers());
  }

  @Test
  void removedItemDoesNotFire() {
    long deadline = time.nowNanos() + 20 * MILLI;
    queue.add(deadline, 1);
    queue.add(deadline, 2);
    queue.remove(deadline, 1);
    queue.remove(deadline, 7);
    time.advanceMillis(40);
    assertEquals(List.of(2), expired);
  }

  @Test
  void earlierDeadlineMovesTheTimerForward() {
    queue.add(time.nowNanos() + 10_000 * MILLI, 1);
    queue.add(time.nowNanos() + 10 * MILLI, 2);
    assertEquals(1, time.timers());
    time.advanceMillis(20);
    assertEquals(List.of(2), expired);
    time.advanceMillis(10_000);
    assertEquals(List.of(2, 1), expired);
  }

  @Test
  void pastDeadlineFiresAtTheNextStep() {
    queue.add(time.nowNanos() - 10 * MILLI, 1);
    time.advanceMillis(9);
    assertEquals(List.of(1), expired);
  }

  @Test
  void noDeadlineFiresAfterTheEnd() {
    queue.add(time.nowNanos() + 10 * MILLI, 1);
    queue.close();
    time.advanceMillis(100);
    assertEquals(List.of(), expired);
    assertEquals(0, time.timers());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyItemFiresOnceInItsStepUnlessRemoved(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Long> deadlines = new ArrayList<>();
    List<Boolean> removed = new ArrayList<>();
    long start = time.nowNanos();
    for (int now = 0; now < 3_000; now += 5) {
      while (random.nextInt(3) > 0) {
        long deadline = time.nowNanos() + random.nextLong(1_000 * MILLI);
        queue.add(deadline, deadlines.size());
        deadlines.add(deadline);
        removed.add(false);
      }
      if (!deadlines.isEmpty() && random.nextBoolean()) {
        int victim = random.nextInt(deadlines.size());
        if (!expired.contains(victim)) {
          queue.remove(deadlines.get(victim), victim);
          removed.set(victim, true);
        }
      }
      int before = expired.size();
      time.advanceMillis(5);
      for (int item : expired.subList(before, expired.size())) {
        long late = time.nowNanos() - deadlines.get(item);
        assertTrue(late >= 0 && late < STEP + 5 * MILLI, "item " + item + " late by " + late);
      }
    }
    time.advanceMillis(2_000);
    assertTrue(time.nowNanos() - start > 0);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < deadlines.size(); i++) {
      if (!removed.get(i)) {
        expected.add(i);
      }
    }
    assertEquals(expected, expired.stream().sorted().toList());
  }
}
