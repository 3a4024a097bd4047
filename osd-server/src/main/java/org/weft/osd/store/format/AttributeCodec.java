package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import org.weft.osd.store.value.AttributeValue;

/**
 * An attribute page.
 *
 * <pre>
 * 0 version u8 = 1 | lsn u64 | length u32 | value
 * </pre>
 */
public final class AttributeCodec {
  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 13;

  private AttributeCodec() {}

  public static byte[] encode(AttributeValue page) {
    return ByteBuffer.allocate(FIXED_BYTES + page.value().length)
        .put(VERSION)
        .putLong(page.lsn())
        .putInt(page.value().length)
        .put(page.value())
        .array();
  }

  public static AttributeValue decode(int page, byte[] stored) throws FormatException {
    return ValueReader.read(
        "attribute page " + page,
        stored,
        VERSION,
        in -> {
          long lsn = in.getLong();
          int length =
              ValueReader.bounded(
                  "length of an attribute page", in.getInt(), AttributeValue.MAX_BYTES);
          byte[] value = new byte[length];
          in.get(value);
          return new AttributeValue(page, lsn, value);
        });
  }
}
