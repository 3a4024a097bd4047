package org.weft.client.gather;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.layout.ByteRange;

/** What is gathered is the last write of each byte, and its cost is known before it is paid. */
class GatheredBytesTest {
  private static final int STRIPE = 1_000;

  private final GatheredBytes gathered = new GatheredBytes(STRIPE, GatherLimits.USUAL_KEPT_BYTES);

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  private void put(long from, int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    gathered.put(from, ByteBuffer.wrap(bytes), 0);
  }

  private List<String> runs(long stripeFrom) {
    List<String> all = new ArrayList<>();
    for (GatheredStripe stripe : gathered.within(new ByteRange(stripeFrom, stripeFrom + 1))) {
      stripe.runs().forEach(run -> all.add(run.from() + ".." + run.to()));
    }
    return all;
  }

  private byte[] bytesOfOnlyRun(long stripeFrom) {
    ByteBuffer data = gathered.take(stripeFrom).orElseThrow().runs().iterator().next().data();
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    return bytes;
  }

  @Test
  void neighboursBecomeOne() {
    put(10, 5, 1);
    put(20, 5, 3);
    assertEquals(List.of("10..15", "20..25"), runs(0));
    put(15, 5, 2);
    assertEquals(List.of("10..25"), runs(0));
    assertArrayEquals(new byte[] {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}, bytesOfOnlyRun(0));
  }

  @Test
  void theLastWriteOfAByteWins() {
    put(10, 5, 1);
    put(12, 5, 2);
    put(9, 2, 3);
    put(13, 1, 4);
    assertArrayEquals(new byte[] {3, 3, 1, 2, 4, 2, 2, 2}, bytesOfOnlyRun(0));
  }

  @Test
  void aFullStripeIsDueAtOnce() {
    put(STRIPE, STRIPE - 1, 1);
    assertFalse(gathered.hasDue(ByteRange.ALL, Long.MAX_VALUE));
    put(2 * STRIPE - 1, 1, 2);
    assertTrue(gathered.hasDue(ByteRange.ALL, Long.MAX_VALUE));
    assertEquals(STRIPE, gathered.nextDue(stripe -> true).get(0).stripe().from());
  }

  @Test
  void theOldestIsDueFirstThoughItWasWrittenAgain() {
    put(5 * STRIPE, 10, 1);
    put(0, 10, 1);
    put(5 * STRIPE + 100, 10, 1);
    gathered.dueDownTo(gathered.idleBytes() - 1);
    assertEquals(5 * STRIPE, gathered.nextDue(stripe -> true).get(0).stripe().from());
    assertEquals(0, gathered.oldestIdle().orElseThrow().stripe().from());
  }

  @Test
  void eachLoneByteCostsItsBookkeeping() {
    for (int each = 0; each < 1_000; each++) {
      put((long) each * STRIPE, 1, 1);
    }
    int each = 1 + GatheredRun.OVERHEAD_BYTES + GatheredStripe.OVERHEAD_BYTES;
    assertTrue(each > 400, "an entry of a tree costs 64 bytes alone, and there are four");
    assertEquals(1_000 * each, gathered.heldBytes());
  }

  @Test
  void smallWritesInDescendingOrderDoNotCopyEverythingEachTime() {
    for (int at = STRIPE - 1; at >= 0; at--) {
      put(at, 1, at);
    }
    byte[] bytes = bytesOfOnlyRun(0);
    for (int at = 0; at < STRIPE; at++) {
      assertEquals((byte) at, bytes[at]);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void costIsAsSaidBeforeAndTheBytesAreThoseWrittenLast(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] model = new byte[4 * STRIPE];
    boolean[] written = new boolean[model.length];
    for (int step = 0; step < 400; step++) {
      long from = random.nextInt(model.length);
      int most = (int) Math.min(STRIPE - from % STRIPE, 1 + random.nextInt(60));
      ByteRange range = new ByteRange(from, from + most);
      long expected = gathered.heldBytes() + gathered.growth(range);
      put(from, most, step);
      assertEquals(expected, gathered.heldBytes());
      for (int at = (int) from; at < range.to(); at++) {
        model[at] = (byte) step;
        written[at] = true;
      }
      if (random.nextInt(50) == 0) {
        gathered.dueWithin(range);
      }
    }
    for (GatheredStripe stripe : gathered.within(ByteRange.ALL)) {
      for (GatheredRun run : stripe.runs()) {
        ByteBuffer data = run.data();
        for (long at = run.from(); at < run.to(); at++) {
          assertTrue(written[(int) at]);
          assertEquals(model[(int) at], data.get(), "byte " + at);
          written[(int) at] = false;
        }
      }
    }
    for (boolean left : written) {
      assertFalse(left);
    }
    for (long from = 0; from < model.length; from += STRIPE) {
      gathered.take(from);
    }
    assertEquals(0, gathered.heldBytes());
    assertTrue(gathered.isEmpty());
  }
}
