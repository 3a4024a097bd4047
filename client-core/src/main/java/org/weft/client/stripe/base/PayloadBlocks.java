package org.weft.client.stripe.base;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.weft.client.osd.BlockCrcs;

/**
 * The 4 KiB blocks of a payload, one after another. A block that the transport has cut in two is
 * put together first; all others are looked at where they lie.
 */
public final class PayloadBlocks {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final List<ByteBuffer> buffers;
  private final CRC32C crc = new CRC32C();
  private int nextBuffer;
  private ByteBuffer buffer;
  private int index;

  public PayloadBlocks(List<ByteBuffer> buffers) {
    this.buffers = buffers;
  }

  /** Moves to the next block, which must be there, and says its checksum. */
  public int next() {
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

  /**
   * Moves over the next blocks as long as their checksums are right and they lie one behind the
   * other; all of them are there. Where the first one is wrong it moves over that one alone.
   *
   * @param from place of the first one's checksum
   * @param most how many blocks at most
   * @return how many are right, from {@link #index} on; 0 if the first one is wrong
   */
  public int nextSound(BlockCrcs crcs, int from, int most) {
    ByteBuffer in = nonEmpty();
    if (in.remaining() < BLOCK_BYTES) {
      return next() == crcs.at(from) ? 1 : 0;
    }
    buffer = in;
    index = in.position();
    int end = in.limit();
    int whole = Math.min(most, in.remaining() / BLOCK_BYTES);
    int sound = 0;
    boolean isSound = true;
    while (isSound && sound < whole) {
      in.limit(in.position() + BLOCK_BYTES);
      crc.reset();
      crc.update(in);
      isSound = (int) crc.getValue() == crcs.at(from + sound);
      sound += isSound ? 1 : 0;
    }
    in.limit(end);
    in.position(index + Math.max(1, sound) * BLOCK_BYTES);
    return sound;
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
  public ByteBuffer buffer() {
    return buffer;
  }

  /** At which index of {@link #buffer} it starts. */
  public int index() {
    return index;
  }
}
