package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;

/** Reading in order, ahead of the caller. */
class StripeStreamTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aStreamGivesTheFileWhateverIsSoughtAndLost(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(1 + world.random.nextInt(200 * UNIT_BYTES));
    world.writeAll(file, content);
    if (seed % 3 == 0) {
      world.osdOf(file, world.random.nextInt(6)).stop();
    }
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      int position = 0;
      for (int i = 0; i < 60; i++) {
        if (world.random.nextInt(8) == 0) {
          position = world.random.nextInt(content.length + 1);
          stream.seek(position);
        }
        ByteBuffer target = ByteBuffer.allocate(1 + world.random.nextInt(3 * UNIT_BYTES));
        int atHand =
            world.random.nextBoolean()
                ? stream.readArrived(target.array(), 0, target.capacity())
                : 0;
        int count = atHand > 0 ? atHand : world.time.await(stream.read(target));
        if (position == content.length) {
          assertEquals(-1, count);
        } else {
          assertTrue(count > 0);
          assertArrayEquals(
              Arrays.copyOfRange(content, position, position + count),
              Arrays.copyOf(target.array(), count));
          position += count;
        }
        assertEquals(position, stream.positionBytes());
      }
    }
    world.assertNothingLeaks();
  }

  @Test
  void arrivedBytesAreReadWithoutAFuture() {
    StripeWorld world = new StripeWorld(6, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(100 * UNIT_BYTES + 77);
    world.writeAll(file, content);
    byte[] seen = new byte[content.length];
    int waits = 0;
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      int position = 0;
      while (position < content.length) {
        int wanted = Math.min(1000, content.length - position);
        int count = stream.readArrived(seen, position, wanted);
        if (count == 0) {
          waits++;
          ByteBuffer rest = ByteBuffer.wrap(seen, position, wanted);
          count = world.time.await(stream.read(rest));
        }
        position += count;
        assertEquals(position, stream.positionBytes());
      }
      assertArrayEquals(content, seen);
      // The last chunk was given back when its last byte was read.
      assertEquals(0, world.context.pool().reservedBytes());
    }
    assertTrue(waits > 0 && waits < 80, waits + " reads of " + content.length / 1000 + " waited");
    world.assertNothingLeaks();
  }

  @Test
  void aSeekOrCloseDropsFetchedBytes() {
    StripeWorld world = new StripeWorld(7, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(20 * UNIT_BYTES);
    world.writeAll(file, content);
    byte[] target = new byte[100];
    StripeStream stream = world.reader(file, content.length).stream(0);
    assertEquals(0, stream.readArrived(target, 0, 100));
    world.time.await(stream.read(ByteBuffer.allocate(100)));
    assertEquals(100, stream.readArrived(target, 0, 100));
    assertArrayEquals(Arrays.copyOfRange(content, 100, 200), target);
    stream.seek(50);
    // What is foreseen from there is to be fetched first.
    assertEquals(0, stream.readArrived(target, 0, 100));
    world.time.await(stream.read(ByteBuffer.wrap(target)));
    assertArrayEquals(Arrays.copyOfRange(content, 50, 150), target);
    assertEquals(10, stream.readArrived(target, 5, 10));
    stream.close();
    assertEquals(0, stream.readArrived(target, 0, 100));
    world.assertNothingLeaks();
  }

  /**
   * As many as are at hand, whatever chunks they lie in; and what such reads need is on its way.
   */
  @Test
  void aLargeReadReturnsArrivedBytesAndFetchesMore() {
    StripeWorld world = new StripeWorld(9, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(100 * UNIT_BYTES);
    world.writeAll(file, content);
    world.time.pass(1_000_000_000L);
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      assertEquals(UNIT_BYTES, readInOrder(world, stream, new byte[UNIT_BYTES]));
      world.time.pass(1_000_000_000L);
      byte[] large = new byte[content.length];
      int count = readInOrder(world, stream, large);
      assertEquals((128 << 10) - UNIT_BYTES, count, "two chunks of 64 KiB have come");
      assertTrue(
          world.context.pool().reservedBytes() > 64 << 10, "nothing is fetched for the next");
      assertArrayEquals(
          Arrays.copyOfRange(content, UNIT_BYTES, UNIT_BYTES + count), Arrays.copyOf(large, count));
    }
    // That one byte of a chunk is left is no reason to give one byte alone.
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      assertEquals(UNIT_BYTES, readInOrder(world, stream, new byte[UNIT_BYTES]));
      world.time.pass(1_000_000_000L);
      int most = (64 << 10) - 1 - UNIT_BYTES;
      assertEquals(most, readInOrder(world, stream, new byte[most]));
      assertEquals(1 + (64 << 10), readInOrder(world, stream, new byte[content.length]));
    }
    world.assertNothingLeaks();
  }

  private static int readInOrder(StripeWorld world, StripeStream stream, byte[] target) {
    int count = stream.readArrived(target, 0, target.length);
    return count > 0 ? count : world.time.await(stream.read(ByteBuffer.wrap(target)));
  }

  /** Chunks are kept when they have been read: the next ones lie before them. */
  @ParameterizedTest
  @MethodSource("seeds")
  void backwardReadsInEqualStepsReturnTheFile(long seed) {
    StripeWorld world = new StripeWorld(seed, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(60 * UNIT_BYTES + world.random.nextInt(UNIT_BYTES));
    world.writeAll(file, content);
    int step = 1 + world.random.nextInt(2 * UNIT_BYTES);
    int atHand = 0;
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      for (int start = content.length - step; start >= 0; start -= step) {
        stream.seek(start);
        byte[] target = new byte[step];
        int got = 0;
        while (got < step) {
          byte[] part = new byte[1 + world.random.nextInt(step - got)];
          int count = stream.readArrived(part, 0, part.length);
          atHand += count > 0 ? 1 : 0;
          if (count == 0) {
            count = world.time.await(stream.read(ByteBuffer.wrap(part)));
          }
          System.arraycopy(part, 0, target, got, count);
          got += count;
        }
        assertArrayEquals(Arrays.copyOfRange(content, start, start + step), target, "at " + start);
      }
    }
    assertTrue(atHand > 0);
    world.assertNothingLeaks();
  }

  @Test
  void readAheadStaysWithinItsBound() {
    StripeWorld world = new StripeWorld(1, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(400 * UNIT_BYTES);
    world.writeAll(file, content);
    world.time.pass(1_000_000_000L);
    long[] most = {0};
    world.time.checkAfterEachStep(
        () -> most[0] = Math.max(most[0], world.context.pool().reservedBytes()));
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      byte[] all = world.readAll(stream, () -> 1000, read -> world.time.pass(200_000));
      assertEquals(-1, world.time.await(stream.read(ByteBuffer.allocate(1))));
      assertArrayEquals(content, all);
    }
    assertTrue(most[0] > 0 && most[0] <= StripeWorld.OPTIONS.readAheadBytes(), most[0] + " bytes");
    world.assertNothingLeaks();
  }

  @Test
  void aReaderInOrderWaitsForTheNetworkOnlyAtFirst() {
    StripeWorld world = new StripeWorld(2, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(100 * UNIT_BYTES));
    try (StripeStream stream = world.reader(file, 100 * UNIT_BYTES).stream(0)) {
      world.time.await(stream.read(ByteBuffer.allocate(100)));
      for (int i = 0; i < 790; i++) {
        world.time.pass(1_000_000);
        ByteBuffer target = ByteBuffer.allocate(1000);
        assertTrue(stream.read(target).isDone(), "read " + i);
        if (target.hasRemaining()) {
          assertTrue(stream.read(target).isDone(), "rest of read " + i);
        }
      }
    }
  }

  @Test
  void wholePayloadsAreCopiedOnceToTheCaller() {
    StripeWorld world = new StripeWorld(5, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(100 * UNIT_BYTES);
    world.writeAll(file, content);
    world.time.pass(1_000_000_000L);
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      byte[] all =
          world.readAll(
              stream,
              () -> 1000,
              read -> {
                world.time.pass(1_000_000);
                assertEquals(0, world.context.pool().takenBytes());
                boolean ahead = read % UNIT_BYTES != 0;
                assertTrue(!ahead || world.wire.unreleasedPayloads() > 0, "at " + read);
              });
      assertArrayEquals(content, all);
    }
    world.assertNothingLeaks();
  }

  @Test
  void afterAFailureTheNextReadTriesAgain() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 0));
    byte[] content = world.bytes(4 * UNIT_BYTES);
    world.writeAll(file, content);
    world
        .osdOf(file, 0)
        .faults(opcode -> opcode == Opcode.READ ? Fault.refuse(ErrorCode.BAD_MEDIA) : Fault.NONE);
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      CompletableFuture<Integer> failed = stream.read(ByteBuffer.allocate(10));
      assertEquals(ErrorCode.TOO_MANY_LOST, world.failureOf(failed).code());
      world.osdOf(file, 0).faults(opcode -> Fault.NONE);
      ByteBuffer target = ByteBuffer.allocate(10);
      assertEquals(10, world.time.await(stream.read(target)));
      assertArrayEquals(Arrays.copyOf(content, 10), target.array());
    }
    world.assertNothingLeaks();
  }

  @Test
  void aClosedStreamDoesNotRead() {
    StripeWorld world = new StripeWorld(4, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    world.writeAll(file, world.bytes(40 * UNIT_BYTES));
    StripeStream stream = world.reader(file, 40 * UNIT_BYTES).stream(0);
    CompletableFuture<Integer> underWay = stream.read(ByteBuffer.allocate(10));
    stream.close();
    assertThrows(IllegalStateException.class, () -> stream.read(ByteBuffer.allocate(10)));
    world.time.runUntil("the read has ended", underWay::isDone);
    world.assertNothingLeaks();
  }

  @Test
  void theSamePlaceIsReadAgainAndAgain() {
    StripeWorld world = new StripeWorld(3, 8);
    StripedFile file = world.newFile(StripeWorld.layout(4, 2));
    byte[] content = world.bytes(400 * UNIT_BYTES);
    world.writeAll(file, content);
    byte[] expected = Arrays.copyOf(content, 100 * UNIT_BYTES);
    try (StripeStream stream = world.reader(file, content.length).stream(0)) {
      for (int round = 0; round < 5; round++) {
        stream.seek(0);
        ByteBuffer target = ByteBuffer.allocate(expected.length);
        while (target.hasRemaining()) {
          ByteBuffer some = target.slice(target.position(), Math.min(800, target.remaining()));
          int read = world.time.await(stream.read(some));
          target.position(target.position() + read);
        }
        assertArrayEquals(expected, target.array());
      }
    }
  }
}
