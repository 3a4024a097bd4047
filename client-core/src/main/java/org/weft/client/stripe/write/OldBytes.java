package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.layout.Layout;

/**
 * Fills the columns of an update with what the stripe holds, as far as the update does not replace
 * it. The bytes are verified, and decoded where a component is lost. The stripe must be at rest,
 * under an exclusive grant (P 5.3, 5.6).
 */
final class OldBytes {
  private final StripeReader reader;
  private final long endBytes;
  private final List<CompletableFuture<Integer>> reads = new ArrayList<>();

  private OldBytes(StripeReader reader, long endBytes) {
    this.reader = reader;
    this.endBytes = endBytes;
  }

  /**
   * Reads into the values; no other code may touch them until the future is done, not even if the
   * read fails.
   *
   * @param endBytes bytes of the file from here on count as zeros
   */
  static CompletableFuture<Void> into(StripeValues values, StripeReader reader, long endBytes) {
    OldBytes old = new OldBytes(reader, endBytes);
    Layout layout = values.span().layout();
    try {
      for (int unit = 0; unit < layout.dataUnits(); unit++) {
        old.fill(values, layout, unit);
      }
    } catch (RuntimeException | Error e) {
      // Reads that have begun write to the values still.
      old.reads.add(CompletableFuture.failedFuture(e));
    }
    return CompletableFuture.allOf(old.reads.toArray(CompletableFuture<?>[]::new));
  }

  /** How many data units have bytes in the span's columns, in a file of that length. */
  static int unitsStored(StripeSpan span, long fileBytes) {
    Layout layout = span.layout();
    int stored = 0;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      long start = span.stripeStart() + (long) unit * layout.unitBytes() + span.columnsStart();
      stored += start < fileBytes ? 1 : 0;
    }
    return stored;
  }

  private void fill(StripeValues values, Layout layout, int unit) {
    StripeSpan span = values.span();
    boolean changes = span.changes(unit);
    if (layout.parityUnits() == 0 && !changes) {
      // Without parity nothing depends on it.
      return;
    }
    // Without parity only the blocks that are written have to be whole.
    boolean whole = layout.parityUnits() > 0;
    int from = whole ? span.columnsStart() : span.firstBlockIn(unit);
    int to = whole ? span.columnsEnd() : span.endBlockIn(unit);
    if (changes) {
      read(values, layout, unit, from, span.startIn(unit));
      read(values, layout, unit, span.endIn(unit), to);
    } else {
      read(values, layout, unit, from, to);
    }
  }

  private void read(StripeValues values, Layout layout, int unit, int from, int to) {
    if (from >= to) {
      return;
    }
    StripeSpan span = values.span();
    ByteBuffer target = values.data(unit).slice(from - span.columnsStart(), to - from);
    long offset = span.stripeStart() + (long) unit * layout.unitBytes() + from;
    int stored = (int) Math.max(0, Math.min(to - from, endBytes - offset));
    Zeros.fill(target, stored, to - from - stored);
    if (stored > 0) {
      reads.add(reader.read(offset, target.slice(0, stored)));
    }
  }
}
