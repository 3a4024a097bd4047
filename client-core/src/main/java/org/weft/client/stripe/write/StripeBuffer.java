package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.layout.Layout;

/**
 * The data of one stripe at the end of a file that is being written, filled from its start. Bytes
 * that are in it never change: parts of it are sent while it is filled further. Units take memory
 * when their first byte comes. They give it back when neither the writer nor a part holds on to the
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
  private boolean unread;

  /**
   * A stripe that is held by the caller.
   *
   * @param storedBytes of it are stored already, but not in memory: see {@link #supply}
   * @param freed runs when its memory has been given back
   */
  StripeBuffer(Layout layout, long stripe, int storedBytes, UnitPool pool, Runnable freed) {
    this.filledBytes = storedBytes;
    this.partedBytes = storedBytes;
    this.unread = storedBytes > 0;
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
      filledBytes += put(filledBytes, from);
    }
    return filledBytes - before;
  }

  /** Copies what fits into the unit of a byte of the stripe. */
  private int put(long offset, ByteBuffer from) {
    int index = (int) (offset / layout.unitBytes());
    if (data[index] == null) {
      data[index] = pool.take(layout.unitBytes());
    }
    int at = (int) (offset % layout.unitBytes());
    int count = Math.min(from.remaining(), layout.unitBytes() - at);
    data[index].put(at, from, from.position(), count);
    from.position(from.position() + count);
    return count;
  }

  /** True while its beginning is stored and not in memory: no part can be taken then. */
  boolean isUnread() {
    return unread;
  }

  /** What was stored before, so that parts can be taken. */
  void supply(ByteBuffer stored) {
    int at = 0;
    while (stored.hasRemaining()) {
      at += put(at, stored);
    }
    unread = false;
  }

  /** True if bytes have come since the last part was taken. */
  boolean hasNews() {
    return filledBytes > partedBytes;
  }

  /** True if some of it is stored, or on its way. */
  boolean hasParts() {
    return partedBytes > 0;
  }

  /** Bytes that are stored, or on their way. */
  long storedBytes() {
    return partedBytes;
  }

  /** All that is in it is stored, without having been taken as a part. */
  void markStored() {
    partedBytes = filledBytes;
  }

  /** What is not stored, of a stripe where that lies in one data unit. */
  ByteBuffer news() {
    int unit = (int) (partedBytes / layout.unitBytes());
    return slice(unit, (int) (partedBytes % layout.unitBytes()), layout.unitBytes(), filledBytes);
  }

  /**
   * What has come since the last part, to be sent; it holds on to the stripe.
   *
   * @param small the file has no bytes beyond its first unit (P 4.2)
   */
  StripePart takePart(boolean small) {
    if (unread) {
      throw new IllegalStateException("parity of a stripe that was not read");
    }
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
