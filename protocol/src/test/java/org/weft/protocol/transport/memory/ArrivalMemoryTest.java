package org.weft.protocol.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.transport.memory.ArrivalMemory.Place;

/** Which connection gets room for a large request, in which order, and which has to give it up. */
class ArrivalMemoryTest {
  private static final int MIB = 1 << 20;
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

  private final ArrivalMemory memory = new ArrivalMemory(4L * MIB, PATIENCE);
  private final List<Place> granted = new ArrayList<>();
  private final List<Place> ended = new ArrayList<>();
  private final ArrivalMemory.Owner owner =
      new ArrivalMemory.Owner() {
        @Override
        public void granted(Place place) {
          granted.add(place);
        }

        @Override
        public void tooSlow(Place place) {
          ended.add(place);
        }
      };

  private Place place(int bytes) {
    return new Place(bytes, owner);
  }

  private Place taken(int bytes, long nowNanos) {
    Place place = place(bytes);
    assertTrue(memory.take(place, nowNanos));
    return place;
  }

  private Place waiting(int bytes, long nowNanos) {
    Place place = place(bytes);
    assertFalse(memory.take(place, nowNanos));
    return place;
  }

  @Test
  void holdsNoMoreThanItsLimit() {
    Place first = taken(3 * MIB, 0);
    Place second = waiting(2 * MIB, 0);
    assertEquals(3 * MIB, memory.usedBytes());
    memory.leave(first, 0);
    assertEquals(List.of(second), granted);
    assertEquals(2 * MIB, memory.usedBytes());
    memory.leave(second, 0);
    assertEquals(0, memory.usedBytes());
  }

  @Test
  void aRequestBeyondTheLimitRunsAlone() {
    Place large = taken(8 * MIB, 0);
    Place small = waiting(1_024, 0);
    memory.leave(large, 0);
    assertEquals(List.of(small), granted);
  }

  @Test
  void smallOnesOvertakeLargeOnesButNotForEver() {
    Place holder = taken(4 * MIB, 0);
    Place large = waiting(4 * MIB, 0);
    Place small = waiting(MIB, TimeUnit.SECONDS.toNanos(2));
    Place late = waiting(MIB, TimeUnit.SECONDS.toNanos(60));
    memory.leave(holder, 0);
    assertEquals(List.of(small), granted);
    memory.leave(small, 0);
    assertEquals(List.of(small, large), granted);
    memory.leave(large, 0);
    assertEquals(List.of(small, large, late), granted);
  }

  @Test
  void noRequestIsHurriedWhileNoneWaits() {
    taken(4 * MIB, 0);
    assertEquals(Optional.empty(), memory.endTheSlow(100 * PATIENCE));
    assertEquals(List.of(), ended);
  }

  @Test
  void aStalledRequestIsEndedForWaitingOnes() {
    Place slow = taken(3 * MIB, 0);
    Place young = taken(MIB, PATIENCE);
    waiting(MIB, PATIENCE);
    assertTrue(memory.endTheSlow(PATIENCE).isPresent());
    assertEquals(List.of(slow), ended);
    memory.leave(young, PATIENCE);
  }

  @Test
  void aCompletelyArrivedRequestIsNotEnded() {
    Place whole = taken(4 * MIB, 0);
    memory.arrived(whole);
    waiting(MIB, 0);
    assertTrue(memory.endTheSlow(100 * PATIENCE).isPresent());
    assertEquals(List.of(), ended);
    assertEquals(4 * MIB, memory.usedBytes());
  }

  @Test
  void patienceShrinksAsMoreIsWaitedFor() {
    Place slow = taken(4 * MIB, 0);
    waiting(MIB, 0);
    memory.endTheSlow(PATIENCE / 2);
    assertEquals(List.of(), ended);
    for (int i = 0; i < 100; i++) {
      waiting(MIB, 0);
    }
    memory.endTheSlow(PATIENCE / 2);
    assertEquals(List.of(slow), ended);
  }

  @Test
  void aRequestThatLeavesTheQueueGetsNoRoom() {
    Place holder = taken(4 * MIB, 0);
    Place gone = waiting(MIB, 0);
    memory.leave(gone, 0);
    memory.leave(holder, 0);
    assertEquals(List.of(), granted);
    assertEquals(0, memory.usedBytes());
  }
}
