package org.weft.client.gather;

import java.nio.ByteBuffer;

/**
 * Bytes of a file that follow one another, in an array with room to grow towards where it grew
 * last. Not thread-safe.
 */
final class GatheredRun {
  /** Counted for each run beside its array: the object, its key and its places in the table. */
  static final int OVERHEAD_BYTES = 160;

  private static final int GROWTH = 2;

  private byte[] bytes;
  private long arrayFrom;
  private long from;
  private long to;

  /** Takes what remains in the buffer. */
  GatheredRun(long from, ByteBuffer data) {
    this.bytes = new byte[data.remaining()];
    this.arrayFrom = from;
    this.from = from;
    this.to = from + bytes.length;
    data.get(bytes);
  }

  long from() {
    return from;
  }

  long to() {
    return to;
  }

  int length() {
    return (int) (to - from);
  }

  /** What it costs of the bound. */
  long heldBytes() {
    return bytes.length + (long) OVERHEAD_BYTES;
  }

  /** What it would cost as wide as that, where its stripe is no wider than a limit. */
  long heldBytes(long wideFrom, long wideTo, long stripeFrom, long stripeTo) {
    long arrayTo = arrayFrom + bytes.length;
    return wideFrom >= arrayFrom && wideTo <= arrayTo
        ? heldBytes()
        : grown(wideFrom, wideTo, stripeFrom, stripeTo).length() + OVERHEAD_BYTES;
  }

  private record Window(long from, long to) {
    long length() {
      return to - from;
    }
  }

  /** Twice the room, on the side on which it grows, within the stripe. */
  private Window grown(long wideFrom, long wideTo, long stripeFrom, long stripeTo) {
    long room = Math.max(wideTo - wideFrom, GROWTH * (long) bytes.length);
    return wideFrom < from
        ? new Window(Math.max(stripeFrom, wideTo - room), wideTo)
        : new Window(wideFrom, Math.min(stripeTo, wideFrom + room));
  }

  /** Makes it as wide as that; what is new is to be copied there next. */
  void widen(long wideFrom, long wideTo, long stripeFrom, long stripeTo) {
    if (wideFrom < arrayFrom || wideTo > arrayFrom + bytes.length) {
      Window window = grown(wideFrom, wideTo, stripeFrom, stripeTo);
      byte[] wider = new byte[(int) window.length()];
      System.arraycopy(
          bytes, (int) (from - arrayFrom), wider, (int) (from - window.from()), length());
      bytes = wider;
      arrayFrom = window.from();
    }
    from = wideFrom;
    to = wideTo;
  }

  /** Copies another, which lies within this one. */
  void copy(GatheredRun other) {
    System.arraycopy(
        other.bytes,
        (int) (other.from - other.arrayFrom),
        bytes,
        (int) (other.from - arrayFrom),
        other.length());
  }

  /** Copies what remains in the buffer, which lies within this one. */
  void copy(long position, ByteBuffer data) {
    data.get(bytes, (int) (position - arrayFrom), data.remaining());
  }

  /** Its bytes; nothing is copied. */
  ByteBuffer data() {
    return ByteBuffer.wrap(bytes, (int) (from - arrayFrom), length()).slice();
  }
}
