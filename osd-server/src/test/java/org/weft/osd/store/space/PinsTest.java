package org.weft.osd.store.space;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** P 5.2. */
class PinsTest {
  private final List<BlockRange> freed = new ArrayList<>();
  private final Pins pins = new Pins(freed::add);

  private static BlockRange range(int first, int count) {
    return new BlockRange(0, first, count);
  }

  @Test
  void blocksThatAreNotReadAreFreedAtOnce() {
    pins.retire(List.of(range(0, 4), range(8, 1)));
    assertEquals(List.of(range(0, 4), range(8, 1)), freed);
  }

  @Test
  void blocksAreFreedWithTheLastPinOnThem() {
    Pins.Pin first = pins.everything();
    first.narrow(List.of(range(0, 4)));
    Pins.Pin second = pins.everything();
    second.narrow(List.of(range(3, 4), range(20, 1)));
    pins.retire(List.of(range(2, 2), range(7, 1)));
    assertEquals(List.of(range(7, 1)), freed);
    first.release();
    assertEquals(1, freed.size());
    second.release();
    assertEquals(List.of(range(7, 1), range(2, 2)), freed);
    second.release();
    assertEquals(2, freed.size());
    assertEquals(0, pins.held());
  }

  @Test
  void aReaderThatLooksUpHoldsEverything() {
    Pins.Pin pin = pins.everything();
    pins.retire(List.of(range(0, 4), range(100, 4)));
    assertEquals(List.of(), freed);
    pin.narrow(List.of(range(102, 1)));
    assertEquals(List.of(range(0, 4)), freed);
    pin.release();
    assertEquals(List.of(range(0, 4), range(100, 4)), freed);
  }
}
