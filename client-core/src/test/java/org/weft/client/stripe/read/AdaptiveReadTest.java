package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;

/** What streams fetch: as much as their reader will want, and nothing else. */
class AdaptiveReadTest {
  private static final int RECORD = 4096;
  private static final int LENGTH = 400 * UNIT_BYTES;

  private final StripeWorld world =
      new StripeWorld(5, 8, StripeWorld.OPTIONS.withReads(1 << 20, 64 << 10, 3));
  private final StripedFile file = world.newFile(StripeWorld.layout(4, 2));
  private final byte[] content = world.bytes(LENGTH);
  private final StripeReader reader;

  AdaptiveReadTest() {
    world.writeAll(file, content);
    world.time.pass(1_000_000_000L);
    reader = world.reader(file, LENGTH);
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 30);
  }

  private void read(StripeStream stream, long position, int count) {
    stream.seek(position);
    ByteBuffer target = ByteBuffer.allocate(count);
    while (target.hasRemaining()) {
      world.time.await(stream.read(target));
    }
    assertArrayEquals(
        Arrays.copyOfRange(content, (int) position, (int) position + count), target.array());
  }

  /** True if the next read there waits for no OSD. */
  private boolean isThere(StripeStream stream, long position) {
    stream.seek(position);
    ByteBuffer target = ByteBuffer.allocate(RECORD);
    boolean isThere = stream.read(target).isDone();
    if (isThere) {
      assertEquals(RECORD, target.position(), "all of it");
    }
    return isThere;
  }

  @Test
  void aRandomReaderGetsWhatHeAskedForAndNothingElse() {
    try (StripeStream stream = reader.stream(0)) {
      read(stream, 0, RECORD);
      for (int i = 0; i < 200; i++) {
        read(stream, world.random.nextInt(LENGTH / 2) + (i % 2) * (LENGTH / 3), RECORD);
        world.time.pass(50_000_000);
        assertTrue(
            world.context.pool().takenBytes() <= RECORD,
            world.context.pool().takenBytes() + " bytes for a read of " + RECORD);
      }
    }
    world.assertNothingLeaks();
  }

  @Test
  void stridesAreThereBeforeTheyAreAskedFor() {
    for (int distance : new int[] {100_000, -100_000}) {
      try (StripeStream stream = reader.stream(0)) {
        long position = distance > 0 ? 0 : LENGTH - 100_000;
        for (int i = 0; i < 3; i++, position += distance) {
          read(stream, position, RECORD);
        }
        for (int i = 3; i < 30; i++, position += distance) {
          world.time.pass(50_000_000);
          assertTrue(isThere(stream, position), "stride " + i);
          assertTrue(world.context.pool().takenBytes() <= 40 * RECORD, "what lies between is left");
        }
      }
      world.assertNothingLeaks();
    }
  }

  @Test
  void readingBackwardWaitsOnlyAtFirst() {
    try (StripeStream stream = reader.stream(0)) {
      long position = LENGTH - RECORD;
      for (int i = 0; i < 3; i++, position -= RECORD) {
        read(stream, position, RECORD);
      }
      for (; position >= 0; position -= RECORD) {
        world.time.pass(5_000_000);
        assertTrue(isThere(stream, position), "at " + position);
        assertTrue(world.context.pool().takenBytes() <= 1 << 20, "more than may be fetched ahead");
      }
    }
    world.assertNothingLeaks();
  }

  @Test
  void onlyRequestedBytesAreFetchedBehindTheLikelyEnd() {
    int end = 20 * UNIT_BYTES;
    try (StripeStream stream = reader.stream(0, ExpectedPattern.WHOLE, end)) {
      read(stream, 0, RECORD);
      world.time.pass(50_000_000);
      assertTrue(isThere(stream, end - RECORD));
      assertTrue(world.context.pool().takenBytes() <= 32 * UNIT_BYTES);
      read(stream, end, 5 * RECORD);
    }
    world.assertNothingLeaks();
  }

  @Test
  void readAheadStaysWithinTheReadersBound() {
    for (ExpectedPattern expected : ExpectedPattern.values()) {
      try (StripeStream stream = reader.stream(0, expected, Long.MAX_VALUE)) {
        stream.readAhead(4 * RECORD);
        for (int position = 0; position < LENGTH / 2; position += RECORD) {
          read(stream, position, RECORD);
          world.time.pass(5_000_000);
          assertTrue(
              world.context.pool().takenBytes() <= 8 * RECORD,
              world.context.pool().takenBytes() + " bytes, " + expected);
        }
      }
      world.assertNothingLeaks();
    }
  }

  @Test
  void aBoundOfZeroFetchesNothingAhead() {
    for (int distance : new int[] {RECORD, -RECORD, 100_000, -100_000}) {
      try (StripeStream stream = reader.stream(0)) {
        stream.readAhead(0);
        long position = distance > 0 ? 0 : LENGTH - 100_000;
        for (int i = 0; i < 20; i++, position += distance) {
          read(stream, position, RECORD);
          world.time.pass(5_000_000);
          assertTrue(world.context.pool().takenBytes() <= RECORD, "stride " + i);
        }
      }
    }
    world.assertNothingLeaks();
  }

  @Test
  void wishingMoreAgainIsReadAheadForAgain() {
    try (StripeStream stream = reader.stream(0, ExpectedPattern.WHOLE, Long.MAX_VALUE)) {
      stream.readAhead(0);
      read(stream, 0, 1);
      stream.readAhead(Integer.MAX_VALUE);
      read(stream, 1, 1);
      world.time.pass(50_000_000);
      assertTrue(isThere(stream, (1 << 20) - 3 * RECORD));
    }
    world.assertNothingLeaks();
  }

  @Test
  void aWholeFileIsFetchedAheadFromTheFirstByte() {
    try (StripeStream stream = reader.stream(0, ExpectedPattern.WHOLE, Long.MAX_VALUE)) {
      read(stream, 0, 1);
      world.time.pass(50_000_000);
      assertTrue(isThere(stream, (1 << 20) - 3 * RECORD));
    }
    world.assertNothingLeaks();
  }

  /** Whatever is done to a stream, it gives the file. */
  @ParameterizedTest
  @MethodSource("seeds")
  void anyMixtureReadsRight(long seed) {
    java.util.SplittableRandom random = new java.util.SplittableRandom(seed);
    ExpectedPattern[] patterns = ExpectedPattern.values();
    ExpectedPattern expected = patterns[random.nextInt(patterns.length)];
    try (StripeStream stream = reader.stream(0, expected, random.nextLong(2L * LENGTH))) {
      long position = 0;
      for (int burst = 0; burst < 25; burst++) {
        position = random.nextInt(LENGTH);
        int count = 1 + random.nextInt(3 * RECORD);
        long distance = random.nextInt(5) == 0 ? count : random.nextInt(-200_000, 200_000);
        distance = random.nextInt(4) == 0 ? -count : distance;
        for (int i = 0; i < random.nextInt(40); i++, position += distance) {
          if (position >= 0 && position + count <= LENGTH) {
            read(stream, position, count);
            world.time.pass(random.nextInt(2_000_000));
          }
        }
      }
      assertTrue(world.context.pool().takenBytes() <= (1 << 20) + (64 << 10));
    }
    world.assertNothingLeaks();
  }
}
