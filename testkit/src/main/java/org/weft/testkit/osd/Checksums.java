package org.weft.testkit.osd;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** CRC32C as blocks carry it. */
final class Checksums {
  private Checksums() {}

  static int of(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(bytes, offset, length));
    return (int) crc.getValue();
  }

  /** One for each whole block. */
  static List<Integer> ofBlocks(byte[] bytes) {
    List<Integer> crcs = new ArrayList<>();
    for (int from = 0; from < bytes.length; from += FakeObject.BLOCK_BYTES) {
      crcs.add(of(bytes, from, FakeObject.BLOCK_BYTES));
    }
    return crcs;
  }
}
