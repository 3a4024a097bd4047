package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Which blocks of a segment are in use: written at an orderly stop and removed at the next start,
 * when it spares reading all extents.
 *
 * <pre>
 * 0 version u8 = 1 | block count u32 | bits: block b is bit b % 8 of byte b / 8
 * </pre>
 */
public final class FreeMapCodec {
  private static final byte VERSION = 1;
  private static final int MAX_BLOCKS = 1 << 30;

  private FreeMapCodec() {}

  public static byte[] encode(BitSet used, int blockCount) {
    byte[] bits = used.toByteArray();
    ByteBuffer out = ByteBuffer.allocate(5 + (blockCount + 7) / 8);
    return out.put(VERSION).putInt(blockCount).put(bits).array();
  }

  public static BitSet decode(byte[] value) throws FormatException {
    return ValueReader.read(
        "a free map",
        value,
        VERSION,
        in -> {
          int blocks = ValueReader.bounded("blocks of a free map", in.getInt(), MAX_BLOCKS);
          if (in.remaining() != (blocks + 7) / 8) {
            throw new FormatException(
                "a free map of " + blocks + " blocks has " + in.remaining() + " bytes");
          }
          BitSet used = BitSet.valueOf(in);
          in.position(in.limit());
          if (used.length() > blocks) {
            throw new FormatException("a free map has bits beyond its " + blocks + " blocks");
          }
          return used;
        });
  }
}
