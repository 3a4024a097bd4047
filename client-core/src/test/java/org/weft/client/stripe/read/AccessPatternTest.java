package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What can be foreseen of a reader, and what cannot. */
class AccessPatternTest {
  private static final long MAX = 16 << 20;
  private static final int RECORD = 4096;

  private static AccessPattern adaptive() {
    return new AccessPattern(ExpectedPattern.ADAPTIVE, MAX, 0);
  }

  private static void readAt(AccessPattern pattern, long position, int count) {
    pattern.seek(position);
    pattern.read(count);
  }

  @Test
  void readingInOrderIsForeseenTwiceAsFarAsItHasCome() {
    AccessPattern pattern = adaptive();
    assertEquals(AccessPattern.FIRST_BYTES, pattern.aheadBytes());
    long read = 0;
    while (read < 32 << 20) {
      pattern.read(100_000);
      read += 100_000;
      assertEquals(
          Math.min(MAX, Math.max(AccessPattern.FIRST_BYTES, 2 * read)), pattern.aheadBytes());
    }
  }

  @Test
  void readingHereAndThereIsNotForeseen() {
    AccessPattern pattern = adaptive();
    SplittableRandom random = new SplittableRandom(1);
    readAt(pattern, 0, RECORD);
    for (int i = 0; i < 1_000; i++) {
      pattern.seek((1 + random.nextLong(1 << 20)) * RECORD * 5);
      assertEquals(0, pattern.aheadBytes());
      assertEquals(0, pattern.behindBytes());
      assertEquals(0, pattern.stridesAhead());
      pattern.read(RECORD);
    }
  }

  @Test
  void readsAfterASeekAreForeseenFromNewReads() {
    AccessPattern pattern = adaptive();
    readAt(pattern, 0, 10 << 20);
    pattern.seek(100 << 20);
    assertEquals(0, pattern.aheadBytes());
    pattern.read(50_000);
    assertEquals(100_000, pattern.aheadBytes());
  }

  @Test
  void toSkipALittleIsToGoOn() {
    AccessPattern pattern = adaptive();
    for (int i = 0; i < 100; i++) {
      readAt(pattern, i * 6_000L, RECORD);
    }
    assertFalse(pattern.isStrided());
    assertEquals(2 * (99 * 6_000L + RECORD), pattern.aheadBytes());
  }

  @Test
  void equalDistancesAreAStride() {
    for (long distance : new long[] {100_000, -100_000}) {
      AccessPattern pattern = adaptive();
      long start = 50 << 20;
      readAt(pattern, start, RECORD);
      readAt(pattern, start + distance, RECORD);
      assertFalse(pattern.isStrided());
      readAt(pattern, start + 2 * distance, RECORD);
      assertTrue(pattern.isStrided());
      assertFalse(pattern.isBackward());
      assertEquals(distance, pattern.distance());
      assertEquals(start + 2 * distance, pattern.runStart());
      assertEquals(RECORD, pattern.strideBytes());
      assertEquals(2, pattern.stridesAhead());
      for (int i = 3; i < 20; i++) {
        readAt(pattern, start + i * distance, RECORD);
      }
      assertEquals(32, pattern.stridesAhead());
      assertEquals(0, pattern.aheadBytes());
      pattern.seek(start + 7_777_777);
      assertFalse(pattern.isStrided());
    }
  }

  @Test
  void stridesOfLongRunsStayWithinTheBound() {
    AccessPattern pattern = adaptive();
    for (int i = 0; i < 20; i++) {
      readAt(pattern, i * (100L << 20), 4 << 20);
    }
    assertEquals(4, pattern.stridesAhead());
  }

  @Test
  void descendingReadsAreBackward() {
    AccessPattern pattern = adaptive();
    long start = 50 << 20;
    for (int i = 0; i < 3; i++) {
      readAt(pattern, start - (long) i * RECORD, RECORD);
    }
    assertTrue(pattern.isBackward());
    assertEquals(AccessPattern.FIRST_BYTES, pattern.behindBytes());
    for (int i = 3; i < 10_000; i++) {
      readAt(pattern, start - (long) i * RECORD, RECORD);
    }
    assertEquals(MAX, pattern.behindBytes());
    pattern.seek(0);
    assertEquals(0, pattern.behindBytes());
  }

  /** A reader that reads further than the runs before is not striding any more. */
  @Test
  void aStrideThatIsReadOnFromIsReadInOrder() {
    AccessPattern pattern = adaptive();
    for (int i = 0; i < 5; i++) {
      readAt(pattern, i * 1_000_000L, RECORD);
    }
    assertTrue(pattern.isStrided());
    pattern.read(RECORD);
    assertFalse(pattern.isStrided());
    assertEquals(4 * RECORD, pattern.aheadBytes());
  }

  @Test
  void theStatedPatternOverridesTheObservedOne() {
    AccessPattern whole = new AccessPattern(ExpectedPattern.WHOLE, MAX, 0);
    assertEquals(MAX, whole.aheadBytes());
    AccessPattern sequential = new AccessPattern(ExpectedPattern.SEQUENTIAL, MAX, 0);
    readAt(sequential, 0, RECORD);
    sequential.seek(1 << 30);
    assertEquals(1 << 20, sequential.aheadBytes());
    AccessPattern random = new AccessPattern(ExpectedPattern.RANDOM, MAX, 0);
    for (int i = 0; i < 100; i++) {
      assertEquals(0, random.aheadBytes());
      random.read(RECORD);
    }
    for (int i = 0; i < 100; i++) {
      readAt(random, i * 1_000_000L, RECORD);
      assertEquals(0, random.stridesAhead());
    }
  }

  /** Nothing lies at a distance of nothing. */
  @Test
  void readingTheSamePlaceAgainIsNoStride() {
    AccessPattern pattern = adaptive();
    for (int i = 0; i < 5; i++) {
      readAt(pattern, 0, RECORD);
      assertFalse(pattern.isStrided());
      assertEquals(0, pattern.stridesAhead());
    }
  }
}
