package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Bytes of a file that follow one another, in an array with room to grow towards where it grew
 * last, or in memory of others. These become an array when something is written over them. Not
 * thread-safe.
 */
final class GatheredRun {
  /** Counted for each run beside its array: the object, its key and its places in the table. */
  static final int OVERHEAD_BYTES = 160;

  private static final int GROWTH = 2;

  private static final byte[] NONE = {};

  private byte[] bytes;
  private long arrayFrom;
  private long from;
  private long to;

  /** Empty once the bytes are in the array. */
  private Optional<Kept> kept = Optional.empty();

  private record Kept(ByteBuffer data, KeptMemory memory) {}

  /** Takes what remains in the buffer. */
  GatheredRun(long from, ByteBuffer data) {
    this.bytes = new byte[data.remaining()];
    this.arrayFrom = from;
    this.from = from;
    this.to = from + bytes.length;
    data.get(bytes);
  }

  /** Keeps what remains in the buffer, and shares its memory. */
  GatheredRun(long from, ByteBuffer data, KeptMemory memory) {
    this.bytes = NONE;
    this.arrayFrom = from;
    this.from = from;
    this.to = from + data.remaining();
    this.kept = Optional.of(new Kept(data.slice(), memory));
    memory.retain();
  }

  /** Its bytes are not needed any more. */
  void forget() {
    kept.ifPresent(each -> each.memory().release());
    kept = Optional.empty();
  }

  /** The memory of others in which it lies. */
  Optional<KeptMemory> kept() {
    return kept.map(Kept::memory);
  }

  private void copyKept() {
    if (kept.isPresent()) {
      bytes = new byte[length()];
      kept.get().data().duplicate().get(bytes);
      forget();
    }
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
    if (kept.isPresent()) {
      return length() + (long) OVERHEAD_BYTES;
    }
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
    copyKept();
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
    return kept.map(each -> each.data().duplicate())
        .orElseGet(() -> ByteBuffer.wrap(bytes, (int) (from - arrayFrom), length()).slice());
  }
}
