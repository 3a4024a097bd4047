package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.Layout;

/** Which bytes go with which components. */
class GoneBytesTest {
  private static final int UNIT = 8192;
  private static final Layout LAYOUT = new Layout(3, 1, UNIT, 2, 2);
  private static final long SIZE = 10L * LAYOUT.stripeBytes() + UNIT + 100;

  private static TreeSet<Integer> components(int... components) {
    TreeSet<Integer> all = new TreeSet<>();
    for (int component : components) {
      all.add(component);
    }
    return all;
  }

  /** Byte by byte, of where the layout says that it is. */
  @Test
  void thoseAreGoneWhoseUnitsAre() {
    TreeSet<Integer> gone = components(1, 2, 6);
    ByteRanges ranges = GoneBytes.of(LAYOUT, SIZE, gone, 1_000);
    for (long at = 0; at < SIZE; at += 50) {
      boolean isGone = gone.contains(LAYOUT.dataComponent(LAYOUT.stripeOf(at), LAYOUT.unitOf(at)));
      assertEquals(isGone, ranges.around(at).isPresent(), "byte " + at);
    }
    assertEquals(ranges, GoneBytes.of(LAYOUT, SIZE, gone, ranges.size() + 1));
    assertEquals(3, GoneBytes.of(LAYOUT, SIZE, gone, 3).size());
  }

  @Test
  void ofASmallFileTheOneUnitIsGone() {
    assertEquals(
        new ByteRanges(List.of(new ByteRange(0, 100))),
        GoneBytes.of(LAYOUT, 100, components(0, 1), 10));
  }

  @Test
  void blocksOfDataAreBytesAndBlocksOfParityAreNone() {
    for (int component = 0; component < LAYOUT.componentCount(); component++) {
      List<ByteRange> expected = new ArrayList<>();
      List<Long> offsets = new ArrayList<>();
      for (long row = 0; row < 3; row++) {
        long stripe = LAYOUT.stripeAt(component / LAYOUT.width(), row);
        offsets.add(row * UNIT + Layout.BLOCK_BYTES);
        for (int unit = 0; unit < LAYOUT.dataUnits(); unit++) {
          if (LAYOUT.dataComponent(stripe, unit) == component) {
            long from = stripe * LAYOUT.stripeBytes() + unit * (long) UNIT + Layout.BLOCK_BYTES;
            expected.add(new ByteRange(from, from + Layout.BLOCK_BYTES));
          }
        }
      }
      assertEquals(
          expected, GoneBytes.ofBlocks(LAYOUT, SIZE, component, offsets).list(), "" + component);
    }
  }
}
