package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A segment file's name and size.
 *
 * <pre>
 * 0 version u8 = 1 | block count u32 | grown blocks u32 | name length u16 | name (UTF-8)
 * </pre>
 */
public final class SegmentCodec {
  private static final byte VERSION = 1;
  private static final int MAX_NAME_BYTES = 255;
  private static final int MAX_BLOCKS = 1 << 30;

  private SegmentCodec() {}

  public static byte[] encode(SegmentEntry entry) {
    byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(11 + name.length)
        .put(VERSION)
        .putInt(entry.blockCount())
        .putInt(entry.grownBlocks())
        .putShort((short) name.length)
        .put(name)
        .array();
  }

  public static SegmentEntry decode(int segment, byte[] value) throws FormatException {
    return ValueReader.read(
        "segment " + segment,
        value,
        VERSION,
        in -> {
          int blocks = ValueReader.bounded("blocks of a segment", in.getInt(), MAX_BLOCKS);
          int grown = ValueReader.bounded("grown blocks of a segment", in.getInt(), blocks);
          int length =
              ValueReader.bounded(
                  "length of a segment's name", in.getShort() & 0xffff, MAX_NAME_BYTES);
          byte[] name = new byte[length];
          in.get(name);
          return new SegmentEntry(segment, new String(name, StandardCharsets.UTF_8), blocks, grown);
        });
  }
}
