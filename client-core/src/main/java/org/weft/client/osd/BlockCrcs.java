package org.weft.client.osd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The CRC32Cs of a payload's blocks as they came: four bytes each, the lowest first. There is one
 * for each 4 KiB that are read, and nothing is made of them but a comparison. Immutable.
 */
public final class BlockCrcs {
  private final ByteBuffer packed;

  /** Of the buffer's remaining bytes, a multiple of four, which are not changed any more. */
  public BlockCrcs(ByteBuffer packed) {
    this.packed = packed.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  public int count() {
    return packed.capacity() / Integer.BYTES;
  }

  /**
   * That of the block with that place in the payload.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public int at(int index) {
    return packed.getInt(index * Integer.BYTES);
  }
}
