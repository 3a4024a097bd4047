package org.weft.simulator.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a write writes: bytes drawn from its number and their place in the file, never zero. A few
 * of them in a row tell which write they come from, and that they stand where they belong.
 */
public final class Fill {
  private static final int TELLING_BYTES = 8;

  private Fill() {}

  /** The byte that a write puts at an offset. */
  public static byte at(int write, long offset) {
    long mixed = (write + 1) * 0x9e3779b97f4a7c15L ^ (offset >>> 3) * 0xc2b2ae3d27d4eb4fL;
    mixed = (mixed ^ mixed >>> 32) * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ mixed >>> 29) * 0xd6e8feb86659fd93L;
    mixed ^= mixed >>> 32;
    int drawn = (int) (mixed >>> (offset & 7) * 8) & 0xff;
    return (byte) (drawn == 0 ? 0x5a : drawn);
  }

  /** A buffer full of what a write puts there. */
  public static ByteBuffer bytes(int write, long offset, int length) {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    for (int index = 0; index < length; index++) {
      buffer.put(at(write, offset + index));
    }
    return buffer.flip();
  }

  /** Which of so many writes could have put these bytes there. */
  public static List<Integer> writersOf(byte[] bytes, int from, long offset, int writes) {
    List<Integer> writers = new ArrayList<>();
    int telling = Math.min(TELLING_BYTES, bytes.length - from);
    for (int write = 0; write < writes; write++) {
      int alike = 0;
      while (alike < telling && bytes[from + alike] == at(write, offset + alike)) {
        alike++;
      }
      if (alike == telling) {
        writers.add(write);
      }
    }
    return writers;
  }
}
