package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  void bytesOfLostUnitsAreGone() {
    TreeSet<Integer> gone = components(1, 2, 6);
    ByteRanges ranges = GoneBytes.of(LAYOUT, SIZE, gone, 1_000, 1_000).bytes();
    for (long at = 0; at < SIZE; at += 50) {
      boolean isGone = gone.contains(LAYOUT.dataComponent(LAYOUT.stripeOf(at), LAYOUT.unitOf(at)));
      assertEquals(isGone, ranges.around(at).isPresent(), "byte " + at);
    }
    assertEquals(
        new GoneBytes.Found(ranges, false, 11),
        GoneBytes.of(LAYOUT, SIZE, gone, ranges.size() + 1, 1_000));
    GoneBytes.Found three = GoneBytes.of(LAYOUT, SIZE, gone, 3, 1_000);
    assertEquals(3, three.bytes().size());
    assertTrue(three.more());
  }

  @Test
  void longFileIsScannedUpToTheBound() {
    TreeSet<Integer> gone = components(1);
    GoneBytes.Found found = GoneBytes.of(LAYOUT, Long.MAX_VALUE / 2, gone, 1_000, 10);
    assertEquals(10, found.stripes());
    assertTrue(found.more());
    long end = 10L * LAYOUT.stripeBytes();
    assertEquals(GoneBytes.of(LAYOUT, end, gone, 1_000, 11).bytes(), found.bytes());
  }

  @Test
  void wholeFileIsNotScanned() {
    GoneBytes.Found found =
        GoneBytes.of(LAYOUT, Long.MAX_VALUE / 2, components(), 1_000, Long.MAX_VALUE);
    assertEquals(new GoneBytes.Found(new ByteRanges(List.of()), false, 0), found);
  }

  @Test
  void smallFileLosesItsOneUnit() {
    assertEquals(
        new ByteRanges(List.of(new ByteRange(0, 100))),
        GoneBytes.of(LAYOUT, 100, components(0, 1), 10, 10).bytes());
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
