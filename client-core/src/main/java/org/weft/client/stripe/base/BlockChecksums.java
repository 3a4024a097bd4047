package org.weft.client.stripe.base;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.weft.protocol.layout.Layout;

/** CRC32C of each 4 KiB block: made in the writer's memory, checked in the reader's (DESIGN 5). */
public final class BlockChecksums {
  public static final int BLOCK_BYTES = Layout.BLOCK_BYTES;

  private BlockChecksums() {}

  /**
   * One checksum for each block of the buffer's remaining bytes, the last over what there is of it.
   */
  public static int[] of(ByteBuffer unit) {
    int[] checksums = new int[blocks(unit.remaining())];
    ByteBuffer bytes = unit.duplicate();
    int end = bytes.limit();
    CRC32C crc = new CRC32C();
    for (int block = 0; block < checksums.length; block++) {
      bytes.limit(Math.min(end, bytes.position() + BLOCK_BYTES));
      crc.reset();
      crc.update(bytes);
      checksums[block] = (int) crc.getValue();
    }
    return checksums;
  }

  /** The same as messages take them. */
  public static List<Integer> listOf(ByteBuffer unit) {
    return Arrays.stream(of(unit)).boxed().toList();
  }

  /**
   * The same for bytes that begin somewhere in a block.
   *
   * @param startInBlock where, less than a block
   */
  public static int[] of(ByteBuffer bytes, int startInBlock) {
    int first = Math.min(bytes.remaining(), BLOCK_BYTES - startInBlock);
    int[] rest = of(bytes.slice(bytes.position() + first, bytes.remaining() - first));
    int[] checksums = new int[1 + rest.length];
    checksums[0] = of(bytes.slice(bytes.position(), first))[0];
    System.arraycopy(rest, 0, checksums, 1, rest.length);
    return checksums;
  }

  public static int blocks(int bytes) {
    return (int) blocks((long) bytes);
  }

  public static long blocks(long bytes) {
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }
}
