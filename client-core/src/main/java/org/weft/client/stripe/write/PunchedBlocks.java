package org.weft.client.stripe.write;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.protocol.layout.Layout;

/**
 * Which blocks of which components are zeros once a range of a file is. They are whole blocks of
 * its data units, and those of parity whose columns are zeros in every unit. Pure arithmetic.
 */
final class PunchedBlocks {
  /** Whole blocks of one component. */
  record Extent(long offsetBytes, long lengthBytes) {
    long endBytes() {
      return offsetBytes + lengthBytes;
    }
  }

  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final Layout layout;
  private final long fileBytes;
  private final SortedMap<Integer, List<Extent>> extents = new TreeMap<>();

  private PunchedBlocks(Layout layout, long fileBytes) {
    this.layout = layout;
    this.fileBytes = fileBytes;
  }

  /**
   * The blocks of a range, by component; neighbours joined.
   *
   * @param toBytes at most {@code fileBytes}, behind which everything is zeros
   */
  static SortedMap<Integer, List<Extent>> of(
      Layout layout, long fromBytes, long toBytes, long fileBytes) {
    PunchedBlocks punched = new PunchedBlocks(layout, fileBytes);
    long at = fromBytes;
    while (at < toBytes) {
      StripeSpan span = StripeSpan.first(layout, at, toBytes);
      punched.add(span);
      at = span.endInFile();
    }
    return punched.extents;
  }

  private void add(StripeSpan span) {
    int columnsFrom = 0;
    int columnsTo = layout.unitBytes();
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      long unitStart = span.stripeStart() + (long) unit * layout.unitBytes();
      int from = layout.unitBytes();
      int to = layout.unitBytes();
      if (unitStart >= fileBytes) {
        from = 0;
      } else if (span.changes(unit)) {
        from = span.startIn(unit);
        boolean toEnd = unitStart + span.endIn(unit) == fileBytes;
        to = toEnd ? layout.unitBytes() : span.endIn(unit);
        int end = toEnd ? ceiling(span.endIn(unit)) : to;
        add(layout.dataComponent(span.stripe(), unit), span.stripe(), from, end);
      }
      columnsFrom = Math.max(columnsFrom, from);
      columnsTo = Math.min(columnsTo, to);
    }
    for (int j = 0; j < layout.parityUnits(); j++) {
      add(layout.parityComponent(span.stripe(), j), span.stripe(), columnsFrom, columnsTo);
    }
  }

  /** The whole blocks within a range of a unit. */
  private void add(int component, long stripe, int from, int to) {
    int firstBlock = ceiling(from);
    int endBlock = to / BLOCK_BYTES * BLOCK_BYTES;
    if (firstBlock >= endBlock) {
      return;
    }
    List<Extent> list = extents.computeIfAbsent(component, index -> new ArrayList<>());
    long offset = layout.componentOffsetBytes(stripe) + firstBlock;
    int last = list.size() - 1;
    if (last >= 0 && list.get(last).endBytes() == offset) {
      long joined = offset + endBlock - firstBlock - list.get(last).offsetBytes();
      list.set(last, new Extent(list.get(last).offsetBytes(), joined));
    } else {
      list.add(new Extent(offset, endBlock - firstBlock));
    }
  }

  private static int ceiling(int bytes) {
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
  }
}
