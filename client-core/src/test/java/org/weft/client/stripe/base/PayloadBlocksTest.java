package org.weft.client.stripe.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.osd.BlockCrcs;

/** Blocks wherever the transport has cut their payload. */
class PayloadBlocksTest {
  private static final int BLOCKS = 40;
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private static BlockCrcs crcs(int[] checksums) {
    ByteBuffer packed =
        ByteBuffer.allocate(checksums.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    packed.asIntBuffer().put(checksums);
    return new BlockCrcs(packed);
  }

  private static List<ByteBuffer> cut(byte[] bytes, Random random) {
    List<ByteBuffer> buffers = new ArrayList<>();
    int at = 0;
    while (at < bytes.length) {
      int count = Math.min(bytes.length - at, random.nextInt(9 * BLOCK_BYTES));
      buffers.add(ByteBuffer.wrap(bytes, at, count).asReadOnlyBuffer());
      at += count;
    }
    return buffers;
  }

  @ParameterizedTest
  @ValueSource(longs = {95_830_020, 95_830_021, 95_830_022, 95_830_023, 95_830_024})
  void theCheckFindsABadBlockAtAnyPlace(long seed) {
    Random random = new Random(seed);
    byte[] bytes = new byte[BLOCKS * BLOCK_BYTES];
    random.nextBytes(bytes);
    int[] checksums = BlockChecksums.of(ByteBuffer.wrap(bytes));
    boolean[] damaged = new boolean[BLOCKS];
    for (int i = 0; i < 6; i++) {
      int block = random.nextInt(BLOCKS);
      damaged[block] = true;
      checksums[block] ^= 1 << random.nextInt(32);
    }
    BlockCrcs crcs = crcs(checksums);
    List<ByteBuffer> buffers = cut(bytes, random);
    int[] inOnePiece = inOnePiece(buffers);
    PayloadBlocks blocks = new PayloadBlocks(buffers);
    int block = 0;
    int sound = 0;
    int joined = 0;
    while (block < BLOCKS) {
      int most = 1 + random.nextInt(BLOCKS - block);
      int count = blocks.nextSound(crcs, block, most);
      // As far as they are right and lie in one piece; a block that was cut comes alone.
      int expected = 0;
      int end = block + Math.min(most, Math.max(1, inOnePiece[block]));
      while (block + expected < end && !damaged[block + expected]) {
        expected++;
      }
      assertEquals(expected, count, "blocks from " + block);
      joined += inOnePiece[block] == 0 ? 1 : 0;
      assertEquals(damaged[block], count == 0, "block " + block);
      for (int i = 0; i < count * BLOCK_BYTES; i++) {
        assertEquals(
            bytes[block * BLOCK_BYTES + i], blocks.buffer().get(blocks.index() + i), "byte " + i);
      }
      for (int i = 0; i < count; i++) {
        assertTrue(!damaged[block + i], "block " + (block + i));
      }
      sound += count;
      block += Math.max(1, count);
    }
    int right = 0;
    for (boolean isDamaged : damaged) {
      right += isDamaged ? 0 : 1;
    }
    assertEquals(right, sound);
    assertTrue(joined > 0, "no block was cut");
  }

  /** How many whole blocks lie in one buffer from the beginning of each block on. */
  private static int[] inOnePiece(List<ByteBuffer> buffers) {
    int[] whole = new int[BLOCKS];
    int end = 0;
    int block = 0;
    for (ByteBuffer buffer : buffers) {
      end += buffer.remaining();
      while (block * BLOCK_BYTES < end) {
        whole[block] = end / BLOCK_BYTES - block;
        block++;
      }
    }
    return whole;
  }
}
