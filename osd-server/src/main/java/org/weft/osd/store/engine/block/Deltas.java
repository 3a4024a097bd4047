package org.weft.osd.store.engine.block;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.WeftException;

/** XOR of blocks (P 5.3). */
public final class Deltas {
  /** CRC32C of a block of zeros. */
  public static final int CRC_OF_ZEROS =
      BufferRun.crc(ByteBuffer.allocate(HeaderCodec.BLOCK_BYTES));

  private Deltas() {}

  /** Where the bytes of blocks come from, by number; a fresh buffer each time. */
  @FunctionalInterface
  public interface Blocks {
    ByteBuffer of(long block) throws WeftException;
  }

  /** What makes one of the other. */
  public static Delta between(long firstBlock, long endBlock, Blocks old, Blocks now)
      throws WeftException {
    return gather(
        firstBlock,
        endBlock,
        block -> {
          ByteBuffer bytes = old.of(block);
          xor(bytes, now.of(block));
          return bytes;
        });
  }

  /** Blocks one after another, with their checksums. */
  public static Delta gather(long firstBlock, long endBlock, Blocks blocks) throws WeftException {
    int count = (int) (endBlock - firstBlock);
    ByteBuffer all = ByteBuffer.allocate(count * HeaderCodec.BLOCK_BYTES);
    int[] crcs = new int[count];
    for (int i = 0; i < count; i++) {
      ByteBuffer bytes = blocks.of(firstBlock + i);
      crcs[i] = BufferRun.crc(bytes);
      all.put(bytes);
    }
    return new Delta(firstBlock * HeaderCodec.BLOCK_BYTES, List.of(all.flip()), crcs);
  }

  /** The target's remaining bytes become target ⊕ other; no position moves. */
  public static void xor(ByteBuffer target, ByteBuffer other) {
    int count = target.remaining();
    int at = target.position();
    int from = other.position();
    int done = 0;
    for (; done + Long.BYTES <= count; done += Long.BYTES) {
      target.putLong(at + done, target.getLong(at + done) ^ other.getLong(from + done));
    }
    for (; done < count; done++) {
      target.put(at + done, (byte) (target.get(at + done) ^ other.get(from + done)));
    }
  }

  /** CRC32C of old ⊕ δ, for whole blocks, from theirs: CRCs are affine. */
  public static int crc(int oldCrc, int deltaCrc) {
    return oldCrc ^ deltaCrc ^ CRC_OF_ZEROS;
  }
}
