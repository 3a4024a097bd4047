package org.weft.client.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * A buffer's remaining bytes, read and written in blocks of longs. Past its end a unit reads as
 * zeros. Arithmetic is bytewise, so the order of bytes in a long means nothing as long as it is
 * one.
 */
final class UnitBytes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer bytes;
  private final LongBuffer longs;
  private final int lengthBytes;

  UnitBytes(ByteBuffer unit) {
    this.bytes = unit.slice().order(ByteOrder.nativeOrder());
    this.longs = bytes.asLongBuffer();
    this.lengthBytes = bytes.remaining();
  }

  int lengthBytes() {
    return lengthBytes;
  }

  /** Fills {@code into} up to {@code count} longs from byte {@code offset}, a multiple of 8. */
  void load(int offset, long[] into, int count) {
    int whole = Math.max(0, Math.min(count, (lengthBytes - offset) / Long.BYTES));
    if (whole > 0) {
      longs.get(offset / Long.BYTES, into, 0, whole);
    }
    if (whole < count) {
      Arrays.fill(into, whole, count, 0);
      int tailOffset = offset + whole * Long.BYTES;
      if (tailOffset < lengthBytes) {
        byte[] tail = new byte[Long.BYTES];
        bytes.get(tailOffset, tail, 0, lengthBytes - tailOffset);
        into[whole] = (long) LONG.get(tail, 0);
      }
    }
  }

  /** Writes {@code count} longs at byte {@code offset}, as far as the unit reaches. */
  void store(int offset, long[] from, int count) {
    int whole = Math.max(0, Math.min(count, (lengthBytes - offset) / Long.BYTES));
    if (whole > 0) {
      longs.put(offset / Long.BYTES, from, 0, whole);
    }
    int tailOffset = offset + whole * Long.BYTES;
    if (whole < count && tailOffset < lengthBytes) {
      byte[] tail = new byte[Long.BYTES];
      LONG.set(tail, 0, from[whole]);
      bytes.put(tailOffset, tail, 0, lengthBytes - tailOffset);
    }
  }
}
