package org.weft.client.stripe;

import java.nio.ByteBuffer;

/** Bytes that a component gets, with the checksums of their blocks. */
final class UnitBuffer {
  /** From the position to the limit: what is sent. */
  private final ByteBuffer bytes;

  private int[] blockCrcs = new int[0];

  /**
   * Bytes to be sent.
   *
   * @param bytes their place in the component must begin at a block's start
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

  int[] blockCrcs() {
    return blockCrcs;
  }
}
