package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The 4 KiB blocks of a payload, one after another. A block that the transport has cut in two is
 * put together first; all others are looked at where they lie.
 */
final class PayloadBlocks {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final List<ByteBuffer> buffers;
  private final CRC32C crc = new CRC32C();
  private int nextBuffer;
  private ByteBuffer buffer;
  private int index;

  PayloadBlocks(List<ByteBuffer> buffers) {
    this.buffers = buffers;
  }

  /** Moves to the next block, which must be there, and says its checksum. */
  int next() {
    ByteBuffer from = nonEmpty();
    if (from.remaining() < BLOCK_BYTES) {
      from = joined();
    }
    buffer = from;
    index = from.position();
    int end = from.limit();
    from.limit(index + BLOCK_BYTES);
    crc.reset();
    crc.update(from);
    from.limit(end);
    return (int) crc.getValue();
  }

  private ByteBuffer nonEmpty() {
    while (!buffers.get(nextBuffer).hasRemaining()) {
      nextBuffer++;
    }
    return buffers.get(nextBuffer);
  }

  private ByteBuffer joined() {
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    while (block.hasRemaining()) {
      ByteBuffer from = nonEmpty();
      int count = Math.min(from.remaining(), block.remaining());
      block.put(block.position(), from, from.position(), count);
      block.position(block.position() + count);
      from.position(from.position() + count);
    }
    return block.flip();
  }

  /** Where the block lies. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** At which index of {@link #buffer} it starts. */
  int index() {
    return index;
  }
}
