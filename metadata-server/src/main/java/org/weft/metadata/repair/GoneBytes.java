package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.Layout;

/** Which bytes of a file are gone with some of its components (P 4.1). */
public final class GoneBytes {
  private GoneBytes() {}

  /**
   * Bytes that are gone.
   *
   * @param more there may be more behind them
   * @param stripes that were looked at
   */
  public record Found(ByteRanges bytes, boolean more, long stripes) {}

  /**
   * Bytes of data units that lie on components of which nothing is left, nor can be computed.
   *
   * @param gone indexes in the file's map
   * @param most ranges, the first ones
   * @param mostStripes that are looked at from the beginning of the file
   */
  public static Found of(
      Layout layout, long sizeBytes, SortedSet<Integer> gone, int most, long mostStripes) {
    List<ByteRange> ranges = new ArrayList<>();
    if (gone.isEmpty()) {
      return new Found(new ByteRanges(ranges), false, 0);
    }
    long stripe = 0;
    for (; stripe * layout.stripeBytes() < sizeBytes; stripe++) {
      if (stripe == mostStripes) {
        return new Found(new ByteRanges(ranges), true, stripe);
      }
      for (int unit = 0; unit < layout.dataUnits() && ranges.size() < most; unit++) {
        long from = stripe * layout.stripeBytes() + (long) unit * layout.unitBytes();
        if (from < sizeBytes && gone.contains(layout.dataComponent(stripe, unit))) {
          add(ranges, from, Math.min(sizeBytes, from + layout.unitBytes()));
        }
      }
      if (ranges.size() >= most) {
        return new Found(new ByteRanges(ranges), true, stripe + 1);
      }
    }
    return new Found(new ByteRanges(ranges), false, stripe);
  }

  /**
   * Bytes of blocks that a component has lost; nothing where it holds parity there.
   *
   * @param offsets of the blocks in the component, ascending
   */
  public static ByteRanges ofBlocks(
      Layout layout, long sizeBytes, int component, List<Long> offsets) {
    List<ByteRange> ranges = new ArrayList<>();
    for (long offset : offsets) {
      long stripe = layout.stripeAt(component / layout.width(), offset / layout.unitBytes());
      int unit = layout.roleOf(stripe, component);
      long from =
          stripe * layout.stripeBytes()
              + (long) unit * layout.unitBytes()
              + offset % layout.unitBytes();
      if (unit >= 0 && from < sizeBytes) {
        add(ranges, from, Math.min(sizeBytes, from + Layout.BLOCK_BYTES));
      }
    }
    return new ByteRanges(ranges);
  }

  /** Behind what is there, or as one with the last of it. */
  private static void add(List<ByteRange> ranges, long from, long to) {
    int last = ranges.size() - 1;
    if (last >= 0 && ranges.get(last).to() == from) {
      ranges.set(last, new ByteRange(ranges.get(last).from(), to));
    } else {
      ranges.add(new ByteRange(from, to));
    }
  }
}
