package org.weft.client.stripe.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which buffers a client keeps for later. */
class UnitPoolTest {
  private static final long LIMIT_BYTES = 100;

  private final List<Integer> allocated = new ArrayList<>();
  private final UnitPool pool =
      new UnitPool(
          LIMIT_BYTES,
          bytes -> {
            allocated.add(bytes);
            return ByteBuffer.allocateDirect(bytes);
          });

  @Test
  void aBufferThatWasGivenBackIsTakenAgain() {
    pool.give(pool.take(60));
    ByteBuffer other = pool.take(40);
    ByteBuffer again = pool.take(60);
    assertEquals(List.of(60, 40), allocated);
    pool.give(again);
    pool.give(other);
    assertEquals(0, pool.takenBytes());
  }

  @Test
  void freeBuffersOfOtherSizesAreDroppedBeyondTheLimit() {
    ByteBuffer large = pool.take(60);
    ByteBuffer small = pool.take(30);
    pool.give(large);
    pool.give(small);
    ByteBuffer middle = pool.take(50);
    assertEquals(List.of(60, 30, 50), allocated);
    ByteBuffer kept = pool.take(30);
    assertEquals(List.of(60, 30, 50), allocated, "the smaller one had room beside it");
    pool.give(middle);
    pool.give(kept);
    ByteBuffer more = pool.take(60);
    assertEquals(List.of(60, 30, 50, 60), allocated, "the largest was dropped");
    pool.give(more);
    assertEquals(0, pool.takenBytes());
  }

  /** An allocation may wait for the garbage collector then, also on an event loop. */
  @Test
  void buffersTakeTheHeapWhenDirectMemoryIsShort() {
    assertTrue(UnitPool.allocate(1 << 20, 64 << 20).isDirect());
    assertFalse(UnitPool.allocate(1 << 20, 4 << 20).isDirect());
    assertFalse(UnitPool.allocate(1 << 20, -1).isDirect());
  }
}
