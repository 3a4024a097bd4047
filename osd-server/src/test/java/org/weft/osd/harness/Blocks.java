package org.weft.osd.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Bytes to write, and their checksums. */
public final class Blocks {
  public static final int BLOCK_BYTES = 4096;

  private Blocks() {}

  public static byte[] random(long seed, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** One CRC32C for each block touched, over the bytes sent of that block. */
  public static List<Integer> crcs(long offsetBytes, byte[] bytes) {
    List<Integer> crcs = new ArrayList<>();
    int at = 0;
    while (at < bytes.length) {
      int inBlock = (int) ((offsetBytes + at) % BLOCK_BYTES);
      int length = Math.min(BLOCK_BYTES - inBlock, bytes.length - at);
      crcs.add(crc(bytes, at, length));
      at += length;
    }
    return crcs;
  }

  public static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
