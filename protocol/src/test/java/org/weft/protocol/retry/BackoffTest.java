package org.weft.protocol.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  /** What must not be asked. */
  private static final RandomGenerator NONE =
      () -> {
        throw new AssertionError("a random number was drawn");
      };

  private static List<Long> some(Backoff backoff, RandomGenerator random) {
    List<Long> delays = new ArrayList<>();
    for (int failures = 1; failures <= 200; failures++) {
      delays.add(backoff.delayNanos(failures, random));
    }
    return delays;
  }

  @Test
  void doublesUpToTheGreatestDelay() {
    Backoff backoff = Backoff.exact(100, 1_000);
    assertEquals(
        List.of(100L, 200L, 400L, 800L, 1_000L, 1_000L),
        IntStream.rangeClosed(1, 6).mapToObj(backoff::exactNanos).toList());
    assertEquals(7, Backoff.exact(7, 7).exactNanos(1));
  }

  @Test
  void jitterShortensADelayByItsShareAtMost() {
    Backoff backoff = new Backoff(1_000, 60_000, 20);
    RandomGenerator random = new SplittableRandom(3);
    for (int failures = 1; failures <= 10; failures++) {
      long longest = backoff.exactNanos(failures);
      int count = failures;
      long[] drawn =
          LongStream.range(0, 1_000).map(each -> backoff.delayNanos(count, random)).toArray();
      long least = LongStream.of(drawn).min().orElseThrow();
      long most = LongStream.of(drawn).max().orElseThrow();
      assertTrue(least >= longest - longest / 5, least + " of " + longest);
      assertTrue(least <= longest - longest / 6, least + " is far from the lower bound");
      assertTrue(most <= longest, most + " of " + longest);
      assertTrue(most >= longest - longest / 50, most + " is far from the upper bound");
    }
  }

  @Test
  void aSpreadDelayIsBetweenHalfAndAll() {
    Backoff backoff = Backoff.spread(10, 10);
    List<Long> delays = some(backoff, new SplittableRandom(5)).stream().sorted().toList();
    assertEquals(List.of(5L, 6L, 7L, 8L, 9L, 10L), delays.stream().distinct().toList());
  }

  @Test
  void theWholeDelayMayBeJitter() {
    List<Long> delays = some(new Backoff(3, 3, 100), new SplittableRandom(5));
    assertEquals(List.of(0L, 1L, 2L, 3L), delays.stream().sorted().distinct().toList());
  }

  @Test
  void neitherManyFailuresNorLongDelaysOverflow() {
    for (long maxNanos : new long[] {1, 1_000, Long.MAX_VALUE / 2 + 1, Long.MAX_VALUE}) {
      for (long firstNanos : new long[] {1, 3, maxNanos / 3, maxNanos / 2 + 1, maxNanos}) {
        if (firstNanos > 0 && firstNanos <= maxNanos) {
          Backoff backoff = Backoff.spread(firstNanos, maxNanos);
          long before = 0;
          for (int failures : new int[] {1, 2, 31, 32, 33, 62, 63, 64, 65, Integer.MAX_VALUE}) {
            long longest = backoff.exactNanos(failures);
            assertTrue(longest >= before && longest >= firstNanos && longest <= maxNanos);
            before = longest;
            long delay = backoff.delayNanos(failures, new SplittableRandom(failures));
            assertTrue(delay >= longest - longest / 2 && delay <= longest, backoff + ": " + delay);
          }
          assertEquals(maxNanos, backoff.exactNanos(Integer.MAX_VALUE));
        }
      }
    }
    // The share is exact where a product would overflow.
    Backoff all = new Backoff(Long.MAX_VALUE, Long.MAX_VALUE, 99);
    assertTrue(all.delayNanos(1, new SplittableRandom(1)) > Long.MAX_VALUE / 100 - 100);
  }

  @Test
  void oneRandomSourceGivesTheSameDelaysEachTime() {
    Backoff backoff = Backoff.spread(1_000_000, 5_000_000_000L);
    assertEquals(some(backoff, new Random(7)), some(backoff, new Random(7)));
    assertFalse(some(backoff, new Random(7)).equals(some(backoff, new Random(8))));
    assertEquals(200, some(Backoff.exact(1, 9), NONE).size(), "no jitter draws nothing");
  }

  @Test
  void callersThatFailedTogetherComeBackApart() {
    Backoff backoff = Backoff.spread(1_000_000_000, 30_000_000_000L);
    long apart =
        IntStream.range(0, 1_000)
            .mapToLong(caller -> backoff.begin(new SplittableRandom(caller)).nextNanos())
            .map(delay -> delay / 10_000_000)
            .distinct()
            .count();
    assertTrue(apart > 45, "in only " + apart + " of 51 hundredths of a second");
  }

  @Test
  void aCallersDelaysGrowUntilItSucceeds() {
    Backoff.Delays delays = Backoff.exact(100, 300).begin(NONE);
    assertFalse(delays.hasFailed());
    assertEquals(100, delays.nextNanos());
    assertEquals(200, delays.nextNanos());
    assertEquals(300, delays.nextNanos());
    assertTrue(delays.hasFailed());
    delays.reset();
    assertFalse(delays.hasFailed());
    assertEquals(100, delays.nextNanos());
  }

  @Test
  void anInvalidDelayIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Backoff.spread(0, 10));
    assertThrows(IllegalArgumentException.class, () -> Backoff.spread(11, 10));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(1, 10, -1));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(1, 10, 101));
    assertThrows(IllegalArgumentException.class, () -> Backoff.spread(1, 10).exactNanos(0));
  }
}
