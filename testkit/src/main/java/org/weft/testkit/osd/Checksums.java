package org.weft.testkit.osd;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C as blocks carry it. */
final class Checksums {
  private Checksums() {}

  static int of(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(bytes, offset, length));
    return (int) crc.getValue();
  }
}
