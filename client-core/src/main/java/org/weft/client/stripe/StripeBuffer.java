package org.weft.client.stripe;

import java.nio.ByteBuffer;
import org.weft.protocol.layout.Layout;

/**
 * The data of one stripe at the end of a file that is being written, filled from its start. Bytes
 * that are in it never change: parts of it are sent while it is filled further. Units take memory
 * when their first byte comes, and give it back when neither the writer nor a part holds on to the
 * stripe any more.
 *
 * <p>Filled by one thread at a time.
 */
final class StripeBuffer {
  private final Layout layout;
  private final long stripe;
  private final UnitPool pool;
  private final Runnable freed;
  private final ByteBuffer[] data;
  private final References references = new References(this::free);
  private long filledBytes;
  private long partedBytes;

  /**
   * An empty stripe, held by the caller.
   *
   * @param freed runs when its memory has been given back
   */
  StripeBuffer(Layout layout, long stripe, UnitPool pool, Runnable freed) {
    this.layout = layout;
    this.stripe = stripe;
    this.pool = pool;
    this.freed = freed;
    this.data = new ByteBuffer[layout.dataUnits()];
  }

  long stripe() {
    return stripe;
  }

  long filledBytes() {
    return filledBytes;
  }

  boolean isFull() {
    return filledBytes == layout.stripeBytes();
  }

  /**
   * Copies what fits, and says how much that was: the only copy that Weft makes of written bytes.
   */
  long fill(ByteBuffer from) {
    long before = filledBytes;
    while (from.hasRemaining() && !isFull()) {
      int index = (int) (filledBytes / layout.unitBytes());
      if (data[index] == null) {
        data[index] = pool.take(layout.unitBytes());
      }
      int at = (int) (filledBytes % layout.unitBytes());
      int count = Math.min(from.remaining(), layout.unitBytes() - at);
      data[index].put(at, from, from.position(), count);
      from.position(from.position() + count);
      filledBytes += count;
    }
    return filledBytes - before;
  }

  /** True if bytes have come since the last part was taken. */
  boolean hasNews() {
    return filledBytes > partedBytes;
  }

  /** True if some of it is stored, or on its way. */
  boolean hasParts() {
    return partedBytes > 0;
  }

  /** What is in it is stored already: it was read from the file that is appended to. */
  void markStored() {
    partedBytes = filledBytes;
  }

  /**
   * What has come since the last part, to be sent; it holds on to the stripe.
   *
   * @param small the file has no bytes beyond its first unit (P 4.2)
   */
  StripePart takePart(boolean small) {
    StripePart part = new StripePart(layout, this, partedBytes, filledBytes, small, pool);
    partedBytes = filledBytes;
    return part;
  }

  /**
   * Bytes of a data unit from an index up to another or the end of what was filled; they may be
   * none.
   */
  ByteBuffer slice(int unit, int from, int to, long filled) {
    long inUnit = filled - (long) unit * layout.unitBytes();
    int end = (int) Math.min(to, Math.max(from, inUnit));
    return data[unit] == null ? ByteBuffer.allocate(0) : data[unit].slice(from, end - from);
  }

  void retain() {
    references.retain();
  }

  void release() {
    references.release();
  }

  private void free() {
    for (int i = 0; i < data.length; i++) {
      if (data[i] != null) {
        pool.give(data[i]);
        data[i] = null;
      }
    }
    freed.run();
  }
}
