package org.weft.protocol.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PayloadMemoryTest {
  private static final int MIB = 1 << 20;

  private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
  private final PayloadMemory memory = new PayloadMemory(allocator, 2 * MIB);

  @AfterEach
  void allIsGivenBack() {
    memory.close();
    long active =
        allocator.metric().directArenas().stream()
            .mapToLong(arena -> arena.numActiveAllocations())
            .sum();
    assertEquals(0, active);
  }

  @Test
  void releasedMemoryIsReused() {
    ByteBuf first = memory.take(MIB);
    first.writeZero(MIB);
    memory.give(first);
    assertEquals(MIB, memory.keptBytes());
    ByteBuf second = memory.take(MIB - 1_000);
    assertSame(first, second);
    assertEquals(0, memory.keptBytes());
    second.release();
  }

  @Test
  void aBufferHasExactlyTheRequestedRoom() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 2_000; i++) {
      int bytes = 1 + random.nextInt(4 * MIB);
      ByteBuf buffer = memory.take(bytes);
      assertEquals(bytes, buffer.writableBytes());
      assertEquals(0, buffer.readableBytes());
      int most = bytes < PayloadMemory.MIN_BYTES ? bytes : bytes + bytes / 4 + 1;
      assertTrue(buffer.maxCapacity() <= most, bytes + " bytes got " + buffer.maxCapacity());
      memory.give(buffer);
      assertTrue(memory.keptBytes() <= 2 * MIB);
    }
  }

  @Test
  void aBufferThatIsStillHeldElsewhereIsNotTakenAgain() {
    ByteBuf shared = memory.take(MIB);
    shared.retain();
    memory.give(shared);
    assertEquals(0, memory.keptBytes());
    ByteBuf other = memory.take(MIB);
    assertNotSame(shared, other);
    memory.give(other);
    shared.release();
  }

  @Test
  void keptMemoryIsBounded() {
    ByteBuf[] buffers = {memory.take(MIB), memory.take(MIB), memory.take(MIB)};
    for (ByteBuf buffer : buffers) {
      memory.give(buffer);
    }
    assertEquals(2 * MIB, memory.keptBytes());
  }

  @Test
  void noMemoryIsKeptAfterTheEnd() {
    ByteBuf late = memory.take(MIB);
    memory.close();
    memory.give(late);
    assertEquals(0, memory.keptBytes());
    assertEquals(0, late.refCnt());
  }

  /** An event loop must not wait for the garbage collector, as the JVM would have it do. */
  @Test
  void payloadsTakeTheHeapWhenDirectMemoryIsShort() {
    AtomicLong leftBytes = new AtomicLong(1L << 40);
    PayloadMemory small = new PayloadMemory(allocator, 2 * MIB, leftBytes::get);
    ByteBuf before = small.take(MIB);
    assertTrue(before.isDirect());
    leftBytes.set(2L * allocator.metric().chunkSize());
    for (int bytes : new int[] {100, MIB}) {
      ByteBuf buffer = small.take(bytes);
      assertFalse(buffer.isDirect(), () -> bytes + " bytes");
      assertEquals(bytes, buffer.writableBytes());
      small.give(buffer);
    }
    ByteBuf growing = small.room(100);
    assertFalse(growing.isDirect());
    growing.writeZero(1_000).release();
    assertEquals(0, small.keptBytes(), "what is of the heap is not kept");
    small.give(before);
    assertEquals(MIB, small.keptBytes());
    ByteBuf kept = small.take(MIB);
    assertSame(before, kept, "what is kept is taken all the same");
    kept.release();
  }
}
