package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/** Bytes that a component gets, with the checksums of their blocks. */
final class UnitBuffer {
  /** From the position to the limit: what is sent. */
  private final ByteBuffer bytes;

  private int[] blockCrcs = new int[0];

  /**
   * Bytes to be sent.
   *
   * @param bytes of one component, one behind the other
   */
  UnitBuffer(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  void computeChecksums() {
    blockCrcs = BlockChecksums.of(bytes);
  }

  /**
   * The same for bytes that begin somewhere in a block.
   *
   * @param startInBlock where, less than a block
   */
  void computeChecksums(int startInBlock) {
    blockCrcs = BlockChecksums.of(bytes, startInBlock);
  }

  /** Hands them over in the order of the blocks. */
  void eachCrc(IntConsumer taker) {
    for (int crc : blockCrcs) {
      taker.accept(crc);
    }
  }
}
