package org.weft.osd.store.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FreshNumbersTest {
  private static final int WINDOW = 1 << 18;

  @Test
  void aNumberAboveAllIsFreshUntilItIsMet() {
    FreshNumbers numbers = new FreshNumbers(100);
    assertFalse(numbers.isFresh(99));
    assertFalse(numbers.isFresh(100));
    assertTrue(numbers.isFresh(101));
    numbers.meet(105);
    assertTrue(numbers.isFresh(101));
    assertFalse(numbers.isFresh(105));
    assertTrue(numbers.isFresh(Long.MAX_VALUE));
    numbers.meet(Long.MAX_VALUE);
    assertFalse(numbers.isFresh(Long.MAX_VALUE));
  }

  @Test
  void theLargestNumbersOfAllAreMetLikeOthers() {
    FreshNumbers numbers = new FreshNumbers(Long.MAX_VALUE - 5);
    numbers.meet(Long.MAX_VALUE);
    assertFalse(numbers.isFresh(Long.MAX_VALUE));
    assertTrue(numbers.isFresh(Long.MAX_VALUE - 1));
  }

  @Test
  void negativeNumbersAreNeverFresh() {
    FreshNumbers numbers = new FreshNumbers(Long.MAX_VALUE);
    numbers.meet(-5);
    assertFalse(numbers.isFresh(-5));
    assertFalse(numbers.isFresh(-4));
  }

  @Test
  void numbersBelowTheWindowAreNotFresh() {
    FreshNumbers numbers = new FreshNumbers(0);
    numbers.meet(WINDOW + 10);
    assertFalse(numbers.isFresh(10));
    assertTrue(numbers.isFresh(11));
  }

  /**
   * Ascending, with gaps, jumps and late ones: never a number that was met, and all others soon.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void agreesWithASet(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    long start = random.nextLong(1_000_000);
    FreshNumbers numbers = new FreshNumbers(start);
    Set<Long> met = new HashSet<>();
    long highest = start;
    for (int i = 0; i < 200_000; i++) {
      long number = highest + random.nextInt(-2_000, 10);
      if (random.nextInt(20_000) == 0) {
        number += random.nextLong(3L * WINDOW);
      }
      boolean certain = number > start && number > highest - WINDOW;
      assertEquals(certain && !met.contains(number), numbers.isFresh(number), "number " + number);
      if (random.nextBoolean()) {
        numbers.meet(number);
        met.add(number);
        highest = Math.max(highest, number);
      }
    }
  }
}
