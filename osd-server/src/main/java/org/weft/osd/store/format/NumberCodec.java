package org.weft.osd.store.format;

import java.nio.ByteBuffer;

/**
 * One number: 9 bytes.
 *
 * <pre>
 * 0 version u8 = 1 | number u64
 * </pre>
 */
public final class NumberCodec {
  private static final byte VERSION = 1;

  private NumberCodec() {}

  public static byte[] encode(long number) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(VERSION).putLong(number).array();
  }

  public static long decode(byte[] value) throws FormatException {
    return ValueReader.read("a number", value, VERSION, ByteBuffer::getLong);
  }
}
