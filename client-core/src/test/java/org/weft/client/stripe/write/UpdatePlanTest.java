package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.base.FileComponents;
import org.weft.protocol.layout.Layout;

/** The arithmetic of changes: columns, ends of components, blocks that a punch gives back. */
class UpdatePlanTest {
  private static final Layout LAYOUT = new Layout(3, 1, 16384, 2, 2);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 50);
  }

  @Test
  void aWriteWithinAUnitNeedsOnlyItsColumns() {
    StripeSpan span = new StripeSpan(LAYOUT, 0, 16384 + 5_000, 16384 + 9_000);
    assertEquals(4096, span.columnsStart());
    assertEquals(12288, span.columnsEnd());
    assertEquals(
        List.of(false, true, false), List.of(span.changes(0), span.changes(1), span.changes(2)));
    assertEquals(4096, span.firstBlockIn(1));
    assertEquals(12288, span.endBlockIn(1));
  }

  @Test
  void aWriteAcrossUnitsNeedsTheirWholeLength() {
    StripeSpan span = new StripeSpan(LAYOUT, 0, 16_000, 17_000);
    assertEquals(0, span.columnsStart());
    assertEquals(16384, span.columnsEnd());
    assertEquals(12288, span.firstBlockIn(0));
    assertEquals(16384, span.endBlockIn(0));
    assertEquals(0, span.firstBlockIn(1));
    assertEquals(4096, span.endBlockIn(1));
  }

  @Test
  void aSpanEndsWithItsStripe() {
    StripeSpan span = StripeSpan.first(LAYOUT, 40_000, 60_000);
    assertEquals(0, span.stripe());
    assertEquals(LAYOUT.stripeBytes(), span.endInFile());
    assertThrows(IllegalArgumentException.class, () -> new StripeSpan(LAYOUT, 0, 5, 5));
  }

  /** A component ends behind the last block that any stripe of the file gives it. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aComponentEndsBehindItsLastBlock(long seed) {
    java.util.Random random = new java.util.Random(seed);
    Layout layout =
        new Layout(
            1 + random.nextInt(4),
            random.nextInt(3),
            4096 * (1 + random.nextInt(3)),
            1 + random.nextInt(3),
            1 + random.nextInt(3));
    long size = random.nextInt(40 * (int) layout.stripeBytes());
    long[] ends = new long[layout.componentCount()];
    for (long at = 0; at < size; at += 4096) {
      long stripe = layout.stripeOf(at);
      int unit = layout.unitOf(at);
      long inUnit = at % layout.unitBytes();
      long end = layout.componentOffsetBytes(stripe) + inUnit + 4096;
      raise(ends, layout.dataComponent(stripe, unit), end);
      for (int j = 0; j < layout.parityUnits(); j++) {
        raise(ends, layout.parityComponent(stripe, j), end);
      }
    }
    for (int component = 0; component < ends.length; component++) {
      // Full stripes before the last one end alike in every component of their group.
      long cut = FileComponents.endOf(layout, size, component);
      assertEquals(ends[component], Math.min(cut, ends[component]), "component " + component);
      assertEquals(0, cut % 4096);
      long slack = cut - ends[component];
      assertEquals(0, slack / layout.unitBytes(), "component " + component + " keeps " + slack);
    }
  }

  private static void raise(long[] ends, int component, long end) {
    ends[component] = Math.max(ends[component], end);
  }

  @Test
  void parityIsGivenBackWhereNothingIsLeftToProtect() {
    // d_1 and d_2 are zeros from here to the end of the file, d_0 is not.
    SortedMap<Integer, List<PunchedBlocks.Extent>> part =
        PunchedBlocks.of(LAYOUT, 16384, 49152, 49152);
    assertEquals(List.of(2, 3), List.copyOf(part.keySet()));
    SortedMap<Integer, List<PunchedBlocks.Extent>> whole =
        PunchedBlocks.of(LAYOUT, 0, 49152, 200_000);
    assertEquals(List.of(0, 1, 2, 3), List.copyOf(whole.keySet()));
    assertEquals(List.of(new PunchedBlocks.Extent(0, 16384)), whole.get(1));
    // Whole blocks only, and the last one if the file ends in it.
    SortedMap<Integer, List<PunchedBlocks.Extent>> tail =
        PunchedBlocks.of(LAYOUT, 1_000, 6_000, 6_000);
    assertEquals(List.of(new PunchedBlocks.Extent(4096, 4096)), tail.get(0));
    assertEquals(List.of(new PunchedBlocks.Extent(4096, 12288)), tail.get(1));
  }
}
