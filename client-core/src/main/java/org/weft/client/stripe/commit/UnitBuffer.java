package org.weft.client.stripe.commit;

import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import org.weft.client.stripe.base.BlockChecksums;

/** The bytes that a component gets, with the checksums of their blocks. */
public final class UnitBuffer {
  /** From the position to the limit: what is sent. */
  private final ByteBuffer bytes;

  private int[] blockCrcs = new int[0];

  /**
   * Bytes to be sent.
   *
   * @param bytes of one component, one behind the other
   */
  public UnitBuffer(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  public ByteBuffer bytes() {
    return bytes;
  }

  public void computeChecksums() {
    blockCrcs = BlockChecksums.of(bytes);
  }

  /**
   * The same for bytes that begin somewhere in a block.
   *
   * @param startInBlock where, less than a block
   */
  public void computeChecksums(int startInBlock) {
    blockCrcs = BlockChecksums.of(bytes, startInBlock);
  }

  /** Hands them over in the order of the blocks. */
  public void eachCrc(IntConsumer taker) {
    for (int crc : blockCrcs) {
      taker.accept(crc);
    }
  }
}
