package org.weft.client.stripe.write;

import org.weft.client.stripe.base.BlockChecksums;
import org.weft.protocol.layout.Layout;

/**
 * The part of an update that lies in one stripe, and which blocks it changes: pure arithmetic.
 *
 * <p>A block of parity depends on the same block of every data unit and on nothing else. So an
 * update needs to look only at its <em>columns</em> (P 5.3). They are the smallest range of whole
 * blocks, the same in each unit, that holds every changed byte.
 *
 * @param fromBytes first changed byte, counted in the stripe
 * @param toBytes end of the changed bytes
 */
record StripeSpan(Layout layout, long stripe, int fromBytes, int toBytes) {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  StripeSpan {
    if (fromBytes < 0 || fromBytes >= toBytes || toBytes > layout.stripeBytes()) {
      throw new IllegalArgumentException(
          "bytes %d to %d of a stripe of %d".formatted(fromBytes, toBytes, layout.stripeBytes()));
    }
  }

  /** What of the file's range [from, to) lies in the stripe of its first byte. */
  static StripeSpan first(Layout layout, long fromFileBytes, long toFileBytes) {
    long stripe = layout.stripeOf(fromFileBytes);
    long start = stripe * layout.stripeBytes();
    int end = (int) Math.min(toFileBytes - start, layout.stripeBytes());
    return new StripeSpan(layout, stripe, (int) (fromFileBytes - start), end);
  }

  /** Where the stripe begins in the file. */
  long stripeStart() {
    return stripe * layout.stripeBytes();
  }

  /** End of the changed bytes in the file. */
  long endInFile() {
    return stripeStart() + toBytes;
  }

  private int firstUnit() {
    return fromBytes / layout.unitBytes();
  }

  private int lastUnit() {
    return (toBytes - 1) / layout.unitBytes();
  }

  boolean changes(int unit) {
    return unit >= firstUnit() && unit <= lastUnit();
  }

  /** First changed byte of a data unit that changes, counted in the unit. */
  int startIn(int unit) {
    return Math.max(0, fromBytes - unit * layout.unitBytes());
  }

  /** End of the changed bytes of a data unit that changes. */
  int endIn(int unit) {
    return Math.min(layout.unitBytes(), toBytes - unit * layout.unitBytes());
  }

  /** First byte of the columns, counted in any unit. */
  int columnsStart() {
    return firstUnit() == lastUnit() ? floor(startIn(firstUnit())) : 0;
  }

  /** End of the columns. */
  int columnsEnd() {
    return firstUnit() == lastUnit() ? ceiling(endIn(firstUnit())) : layout.unitBytes();
  }

  int columnsBytes() {
    return columnsEnd() - columnsStart();
  }

  /** First byte of the blocks of a data unit that change. */
  int firstBlockIn(int unit) {
    return floor(startIn(unit));
  }

  /** End of the blocks of a data unit that change. */
  int endBlockIn(int unit) {
    return ceiling(endIn(unit));
  }

  private static int floor(int bytes) {
    return bytes / BLOCK_BYTES * BLOCK_BYTES;
  }

  private static int ceiling(int bytes) {
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
  }
}
