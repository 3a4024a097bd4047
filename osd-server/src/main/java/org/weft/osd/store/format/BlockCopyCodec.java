package org.weft.osd.store.format;

import java.util.function.IntUnaryOperator;

/** What stands under a {@link StoreKeys#BLOCK_COPY} key: the bytes of whole blocks, as they are. */
public final class BlockCopyCodec {
  private BlockCopyCodec() {}

  /**
   * How many blocks the copy fills.
   *
   * @param grownBlocks of the segment with a number; 0 if there is none
   * @throws FormatException if they do not lie in the segment
   */
  public static int blocksOf(byte[] key, byte[] value, IntUnaryOperator grownBlocks)
      throws FormatException {
    int segment = StoreKeys.copySegmentOf(key);
    int first = StoreKeys.copyBlockOf(key);
    int blocks = value.length / HeaderCodec.BLOCK_BYTES;
    if (value.length == 0
        || value.length % HeaderCodec.BLOCK_BYTES != 0
        || first < 0
        || blocks > grownBlocks.applyAsInt(segment) - first) {
      throw new FormatException(
          "a copy of %d bytes for block %d of segment %d leads out of it"
              .formatted(value.length, first, segment));
    }
    return blocks;
  }
}
