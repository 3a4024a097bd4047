package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P 4.1: where the units of a stripe lie, for every shape of layout. */
class LayoutTest {
  private static final int LAYOUTS_PER_SEED = 400;

  static Layout randomLayout(SplittableRandom random) {
    return new Layout(
        1 + random.nextInt(random.nextInt(10) == 0 ? 255 : 12),
        random.nextInt(4),
        4096 * (1 + random.nextInt(256)),
        1 + random.nextInt(random.nextInt(4) == 0 ? 3_000 : 7),
        1 + random.nextInt(random.nextInt(4) == 0 ? 50 : 4));
  }

  private static long randomStripe(Layout layout, SplittableRandom random) {
    long round = (long) layout.groupDepth() * layout.groups();
    return random.nextBoolean() ? random.nextLong(3 * round) : random.nextLong(1L << 40);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void eachUnitOfAStripeHasItsOwnComponent(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < LAYOUTS_PER_SEED; i++) {
      Layout layout = randomLayout(random);
      long stripe = randomStripe(layout, random);
      Map<Integer, Integer> roles = new HashMap<>();
      for (int unit = 0; unit < layout.dataUnits(); unit++) {
        assertEquals(null, roles.put(layout.dataComponent(stripe, unit), unit));
      }
      for (int parity = 0; parity < layout.parityUnits(); parity++) {
        assertEquals(null, roles.put(layout.parityComponent(stripe, parity), -1 - parity));
      }
      assertEquals(layout.width(), roles.size());
      int first = layout.groupOf(stripe) * layout.width();
      for (int component = first; component < first + layout.width(); component++) {
        assertEquals(roles.get(component), layout.roleOf(stripe, component), layout::toString);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void stripeIsFoundAgainFromItsPlaceInTheGroup(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < LAYOUTS_PER_SEED * 10; i++) {
      Layout layout = randomLayout(random);
      long stripe = randomStripe(layout, random);
      assertEquals(stripe, layout.stripeAt(layout.groupOf(stripe), layout.stripeInGroup(stripe)));
      int group = random.nextInt(layout.groups());
      long inGroup = random.nextLong(1L << 30);
      long found = layout.stripeAt(group, inGroup);
      assertEquals(group, layout.groupOf(found));
      assertEquals(inGroup, layout.stripeInGroup(found));
      assertEquals(inGroup * layout.unitBytes(), layout.componentOffsetBytes(found));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void unitsFillEveryPlaceOfTheFileExactlyOnce(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 60; i++) {
      Layout layout =
          new Layout(
              1 + random.nextInt(6),
              random.nextInt(4),
              4096,
              1 + random.nextInt(5),
              1 + random.nextInt(4));
      int stripes = layout.groupDepth() * layout.groups() * 3;
      Set<String> places = new HashSet<>();
      for (long stripe = 0; stripe < stripes; stripe++) {
        for (int unit = 0; unit < layout.dataUnits(); unit++) {
          places.add(
              layout.dataComponent(stripe, unit) + "@" + layout.componentOffsetBytes(stripe));
        }
        for (int parity = 0; parity < layout.parityUnits(); parity++) {
          places.add(
              layout.parityComponent(stripe, parity) + "@" + layout.componentOffsetBytes(stripe));
        }
      }
      assertEquals(stripes * layout.width(), places.size());
      // Three rounds fill every component of the file to the same length, without a gap.
      for (int component = 0; component < layout.componentCount(); component++) {
        for (int s = 0; s < 3 * layout.groupDepth(); s++) {
          assertTrue(places.contains(component + "@" + (long) s * layout.unitBytes()));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void offsetsFallIntoTheirStripeAndUnit(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      Layout layout = randomLayout(random);
      long offset = random.nextLong(1L << 45);
      long unitStart =
          layout.stripeOf(offset) * layout.stripeBytes()
              + (long) layout.unitOf(offset) * layout.unitBytes();
      assertTrue(unitStart <= offset && offset < unitStart + layout.unitBytes());
      assertTrue(layout.unitOf(offset) < layout.dataUnits());
    }
  }

  @Test
  void firstStripeOfAFileIsTheDocumentedOne() {
    Layout layout = Layout.of(4, 2);
    assertEquals(0, layout.dataComponent(0, 0));
    assertEquals(1, layout.parityComponent(0, 0));
    assertEquals(2, layout.parityComponent(0, 1));
    assertEquals(3, layout.dataComponent(0, 1));
    assertEquals(5, layout.dataComponent(0, 3));
    assertEquals(1, layout.dataComponent(1, 0));
    assertEquals(0, layout.dataComponent(1, 3));
  }

  @Test
  void nextGroupBeginsAtTheDepth() {
    Layout layout = new Layout(3, 1, 65_536, 2_000, 3);
    assertEquals(0, layout.groupOf(1_999));
    assertEquals(1, layout.groupOf(2_000));
    assertEquals(0, layout.stripeInGroup(2_000));
    assertEquals(4, layout.dataComponent(2_000, 0));
    assertEquals(0, layout.groupOf(6_000));
    assertEquals(2_000, layout.stripeInGroup(6_000));
  }

  @Test
  void smallFileHasCopiesOfItsOnlyUnitWhereParityLies() {
    Layout layout = Layout.of(8, 2);
    assertTrue(layout.isSmall(0));
    assertTrue(layout.isSmall(65_536));
    assertFalse(layout.isSmall(65_537));
    for (int parity = 0; parity < 2; parity++) {
      assertEquals(1 + parity, layout.parityComponent(0, parity));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11})
  void messageKeepsTheLayout(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000; i++) {
      Layout layout = randomLayout(random);
      byte[] bytes = layout.toMessage().toByteArray();
      assertEquals(
          layout, Layout.fromMessage(org.weft.protocol.wire.LayoutMessage.parseFrom(bytes)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 4096, 1, 1, data units must be 1..255",
    "256, 1, 4096, 1, 1, data units must be 1..255",
    "1, -1, 4096, 1, 1, parity units must be 0..3",
    "1, 4, 4096, 1, 1, parity units must be 0..3",
    "1, 1, 4095, 1, 1, multiple of 4096",
    "1, 1, 0, 1, 1, multiple of 4096",
    "1, 1, 1052672, 1, 1, up to 1 MiB",
    "1, 1, 4096, 0, 1, group depth must be at least 1",
    "1, 1, 4096, 1, 0, groups must be 1..4096",
    "1, 1, 4096, 1, 4097, groups must be 1..4096"
  })
  void impossibleLayoutsAreRefused(
      int data, int parity, int unit, int depth, int groups, String rule) {
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class, () -> new Layout(data, parity, unit, depth, groups));
    assertTrue(refusal.getMessage().contains(rule), refusal.getMessage());
  }
}
