package org.weft.protocol.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the memory of all servers is shared among connections whose replies are not taken. */
class RequestMemoryTest {
  private static final long LIMIT = 1_000_000;

  private final RequestMemory memory = new RequestMemory(LIMIT);
  private final List<String> woken = new ArrayList<>();

  private RequestMemory.Waiter waiter(String name) {
    return new RequestMemory.Waiter(() -> woken.add(name));
  }

  @Test
  void aCrowdThatTakesWhatItMayLeavesRoomForOneMore() {
    long[] held = new long[1_000];
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int i = 0; i < held.length; i++) {
        if (memory.hasRoomBeside(held[i])) {
          held[i] += 100;
          memory.add(100);
          moved = true;
        }
      }
    }
    assertTrue(memory.usedBytes() < LIMIT, () -> memory.usedBytes() + " used");
    assertTrue(memory.hasRoomBeside(0));
  }

  @Test
  void aSingleConnectionHoldsAQuarter() {
    memory.add(LIMIT / 4);
    assertTrue(memory.hasRoomBeside(LIMIT / 4));
    memory.add(1);
    assertFalse(memory.hasRoomBeside(LIMIT / 4 + 1));
  }

  @Test
  void theWaiterThatHoldsLeastIsWokenFirst() {
    memory.add(LIMIT);
    memory.whenRoom(waiter("much"), 200_000);
    memory.whenRoom(waiter("little"), 10_000);
    memory.add(-10_000);
    assertEquals(List.of("little"), woken);
    memory.add(-190_000);
    assertEquals(List.of("little", "much"), woken);
  }

  @Test
  void aWaiterIsWokenOnce() {
    memory.add(LIMIT);
    RequestMemory.Waiter waiter = waiter("one");
    memory.whenRoom(waiter, 50_000);
    memory.whenRoom(waiter, 20_000);
    memory.add(-20_000);
    memory.add(-100_000);
    assertEquals(List.of("one"), woken);
  }

  @Test
  void aWaiterThatFindsRoomMeanwhileIsWokenAtOnce() {
    memory.whenRoom(waiter("one"), 10);
    assertEquals(List.of("one"), woken);
  }

  @Test
  void aForgottenWaiterIsNotWoken() {
    memory.add(LIMIT);
    RequestMemory.Waiter waiter = waiter("gone");
    memory.whenRoom(waiter, 10);
    memory.forget(waiter);
    memory.add(-LIMIT);
    assertEquals(List.of(), woken);
  }

  @Test
  void aRequestBeyondTheRemainingMemoryTakesNone() {
    memory.add(LIMIT - 10);
    assertFalse(memory.takeIfLeft(11));
    assertTrue(memory.takeIfLeft(10));
    assertEquals(LIMIT, memory.usedBytes());
  }
}
