package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P 6.4: one request at a time in a slot, each with a larger number. */
class SlotTableTest {
  /** Remembers what it was told. */
  private static final class Recorder implements SlotTable.Waiter {
    private final List<SlotTable.Slot> granted = new ArrayList<>();
    private int ended;

    @Override
    public void granted(SlotTable.Slot slot) {
      granted.add(slot);
    }

    @Override
    public void sessionEnded() {
      ended++;
    }
  }

  @Test
  void numbersCountFromOneAndGrowWithEachRequest() {
    SlotTable table = new SlotTable(1);
    for (long number = 1; number <= 3; number++) {
      Recorder waiter = new Recorder();
      table.acquire(waiter);
      assertEquals(number, waiter.granted.get(0).sequence());
      table.release(waiter.granted.get(0));
    }
  }

  @Test
  void waitersAreServedInOrder() {
    SlotTable table = new SlotTable(1);
    List<Recorder> waiters = List.of(new Recorder(), new Recorder(), new Recorder());
    table.acquire(waiters.get(0));
    table.acquire(waiters.get(1));
    table.acquire(waiters.get(2));

    table.release(waiters.get(0).granted.get(0));
    assertEquals(1, waiters.get(1).granted.size());
    assertEquals(0, waiters.get(2).granted.size());
  }

  @Test
  void aWaiterThatLeftIsSkipped() {
    SlotTable table = new SlotTable(1);
    Recorder holder = new Recorder();
    Recorder leaver = new Recorder();
    Recorder next = new Recorder();
    table.acquire(holder);
    table.acquire(leaver);
    table.acquire(next);
    assertTrue(table.forget(leaver));
    assertFalse(table.forget(leaver));

    table.release(holder.granted.get(0));
    assertEquals(0, leaver.granted.size());
    assertEquals(1, next.granted.size());
  }

  @Test
  void theSessionsEndReachesEveryWaiterOnce() {
    SlotTable table = new SlotTable(1);
    Recorder holder = new Recorder();
    Recorder waiter = new Recorder();
    table.acquire(holder);
    table.acquire(waiter);
    table.end();
    table.end();
    assertEquals(1, waiter.ended);
    assertEquals(0, holder.ended);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aSlotNeverCarriesTwoRequestsAndNumbersOnlyGrow(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SlotTable table = new SlotTable(1 + random.nextInt(4));
    Map<Integer, Long> last = new TreeMap<>();
    List<SlotTable.Slot> held = new ArrayList<>();
    SlotTable.Waiter waiter =
        new SlotTable.Waiter() {
          @Override
          public void granted(SlotTable.Slot slot) {
            assertFalse(held.contains(slot), "slot " + slot.index() + " given twice");
            assertTrue(slot.sequence() > last.getOrDefault(slot.index(), 0L));
            last.put(slot.index(), slot.sequence());
            held.add(slot);
          }

          @Override
          public void sessionEnded() {}
        };
    for (int step = 0; step < 2_000; step++) {
      if (held.isEmpty() || random.nextBoolean()) {
        table.acquire(waiter);
      } else {
        table.release(held.remove(random.nextInt(held.size())));
      }
    }
  }
}
