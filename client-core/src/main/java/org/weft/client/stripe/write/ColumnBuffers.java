package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.UnitPool;

/**
 * Memory for a span's columns, one buffer for each unit that is looked at or made (P 5.3). All of
 * it goes back to the pool together, when no holder of it is left.
 */
final class ColumnBuffers {
  private final StripeSpan span;
  private final UnitPool pool;
  private final List<ByteBuffer> taken = new ArrayList<>();
  private final References references;

  /**
   * No memory yet; held by the caller, which takes what it needs before there is another holder.
   *
   * @param freed runs once the memory has been given back: at most that of a stripe
   */
  ColumnBuffers(StripeSpan span, UnitPool pool, Runnable freed) {
    this.span = span;
    this.pool = pool;
    this.references =
        new References(
            () -> {
              taken.forEach(pool::give);
              freed.run();
            });
  }

  /** What one unit's columns take: powers of two where they fit, so that they are used again. */
  static int bytesOf(StripeSpan span) {
    int rounded = Integer.highestOneBit(2 * span.columnsBytes() - 1);
    return Math.min(rounded, span.layout().unitBytes());
  }

  /** The columns of one more unit, with any content. */
  ByteBuffer take() {
    ByteBuffer buffer = pool.take(bytesOf(span));
    taken.add(buffer);
    return buffer.slice(0, span.columnsBytes());
  }

  /** The columns of some more units. */
  ByteBuffer[] take(int units) {
    ByteBuffer[] columns = new ByteBuffer[units];
    for (int i = 0; i < units; i++) {
      columns[i] = take();
    }
    return columns;
  }

  void retain() {
    references.retain();
  }

  void release() {
    references.release();
  }
}
