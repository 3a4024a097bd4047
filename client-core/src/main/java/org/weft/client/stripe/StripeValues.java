package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;

/**
 * What the columns of one stripe will hold after an update: all data units, old bytes and new, and
 * all parities. Computed once; sent again with the same values as often as need be (P 5.8).
 *
 * <p>Its memory is given back when neither the update, nor a WRITE, nor the transport holds on to
 * it any more.
 */
final class StripeValues {
  /**
   * What one component gets.
   *
   * @param component index in the file's map
   * @param offsetBytes in the component
   * @param bytes whole blocks; nobody moves this buffer's position
   */
  record Part(int component, long offsetBytes, ByteBuffer bytes, int[] blockCrcs) {}

  private final StripeSpan span;
  private final Layout layout;
  private final UnitPool pool;
  private final Runnable freed;
  private final ByteBuffer[] data;
  private final ByteBuffer[] parity;
  private final List<ByteBuffer> taken = new ArrayList<>();
  private final AtomicInteger references = new AtomicInteger(1);

  /** {@code freed} runs once nobody needs the memory any more; its size is {@link #memoryBytes}. */
  StripeValues(StripeSpan span, UnitPool pool, Runnable freed) {
    this.span = span;
    this.layout = span.layout();
    this.pool = pool;
    this.freed = freed;
    this.data = new ByteBuffer[layout.dataUnits()];
    this.parity = new ByteBuffer[layout.parityUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = columns();
    }
    for (int j = 0; j < parity.length; j++) {
      parity[j] = columns();
    }
  }

  /** What the values of such an update take. */
  static long memoryBytes(StripeSpan span) {
    return (long) span.layout().width() * capacity(span);
  }

  /** Powers of two where they fit, so that the pool can use buffers again. */
  private static int capacity(StripeSpan span) {
    int rounded = Integer.highestOneBit(2 * span.columnsBytes() - 1);
    return Math.min(rounded, span.layout().unitBytes());
  }

  private ByteBuffer columns() {
    ByteBuffer buffer = pool.take(capacity(span));
    taken.add(buffer);
    return buffer.slice(0, span.columnsBytes());
  }

  StripeSpan span() {
    return span;
  }

  /** The columns of a data unit, to be filled. */
  ByteBuffer data(int unit) {
    return data[unit];
  }

  /** Lays new bytes over what the changed units hold; {@code changed} starts with the span. */
  void overlay(ByteBuffer changed) {
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int at = unit * layout.unitBytes() + span.startIn(unit) - span.fromBytes();
        int count = span.endIn(unit) - span.startIn(unit);
        data[unit].put(
            span.startIn(unit) - span.columnsStart(), changed, changed.position() + at, count);
      }
    }
  }

  /** Makes the changed bytes zeros. */
  void overlayZeros() {
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int count = span.endIn(unit) - span.startIn(unit);
        Zeros.fill(data[unit], span.startIn(unit) - span.columnsStart(), count);
      }
    }
  }

  /** Computes the parities. */
  void encode(ErasureCode code) {
    code.encode(data, parity);
  }

  /** What is to be written: the changed blocks of data, and the parities of the columns. */
  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    long start = layout.componentOffsetBytes(span.stripe());
    for (int unit = 0; unit < data.length; unit++) {
      if (span.changes(unit)) {
        int from = span.firstBlockIn(unit);
        ByteBuffer blocks =
            data[unit].slice(from - span.columnsStart(), span.endBlockIn(unit) - from);
        parts.add(part(layout.dataComponent(span.stripe(), unit), start + from, blocks));
      }
    }
    for (int j = 0; j < parity.length; j++) {
      int component = layout.parityComponent(span.stripe(), j);
      parts.add(part(component, start + span.columnsStart(), parity[j]));
    }
    return parts;
  }

  private static Part part(int component, long offsetBytes, ByteBuffer blocks) {
    return new Part(component, offsetBytes, blocks, BlockChecksums.of(blocks));
  }

  /** Keeps the memory until {@link #release} has been called once more. */
  void retain() {
    references.incrementAndGet();
  }

  void release() {
    if (references.decrementAndGet() == 0) {
      taken.forEach(pool::give);
      freed.run();
    }
  }
}
