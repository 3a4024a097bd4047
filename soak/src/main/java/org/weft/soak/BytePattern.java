package org.weft.soak;

/**
 * Bytes that say where they come from: each follows from the operation that wrote it and from its
 * position in the file.
 */
final class BytePattern {
  private static final int CELL_BYTES = 8;
  private static final long STEP = 0x9e3779b97f4a7c15L;
  private static final long FIRST = 0xbf58476d1ce4e5b9L;
  private static final long SECOND = 0x94d049bb133111ebL;

  private BytePattern() {}

  static byte at(long operation, long position) {
    return (byte) (cell(operation, position) >>> (8 * (position % CELL_BYTES)));
  }

  /** What the operation writes at a position. */
  static byte[] bytes(long operation, long position, int length) {
    byte[] bytes = new byte[length];
    fill(operation, position, bytes, 0, length);
    return bytes;
  }

  static void fill(long operation, long position, byte[] target, int offset, int length) {
    for (int i = 0; i < length; i++) {
      target[offset + i] = at(operation, position + i);
    }
  }

  /** A bijection of 64 bits, so that two cells rarely look alike. */
  private static long cell(long operation, long position) {
    long mixed = operation * STEP + position / CELL_BYTES;
    mixed = (mixed ^ (mixed >>> 30)) * FIRST;
    mixed = (mixed ^ (mixed >>> 27)) * SECOND;
    return mixed ^ (mixed >>> 31);
  }
}
