package org.weft.client.stripe;

import java.nio.ByteBuffer;

/** One unit of a stripe that is being written, with the checksums of its blocks. */
final class UnitBuffer {
  /** From 0 to the limit: what the unit holds. */
  private final ByteBuffer bytes;

  private int[] blockCrcs = new int[0];

  UnitBuffer(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  void computeChecksums() {
    blockCrcs = BlockChecksums.of(bytes);
  }

  int[] blockCrcs() {
    return blockCrcs;
  }
}
