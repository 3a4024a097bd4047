package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which blocks a power loss gave back.
 *
 * <pre>
 *  0 version u8 = 1 | zero u8 | range count u16
 *  4 for each range: first block u64 | end block u64
 * </pre>
 */
public final class RevertedBlocksCodec {
  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 4;
  private static final int RANGE_BYTES = 2 * Long.BYTES;

  private RevertedBlocksCodec() {}

  public static byte[] encode(RevertedBlocks given) {
    int count = given.ranges().size();
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + count * RANGE_BYTES);
    out.put(VERSION).put((byte) 0).putShort((short) count);
    given.ranges().forEach((first, end) -> out.putLong(first).putLong(end));
    return out.array();
  }

  public static RevertedBlocks decode(byte[] value) throws FormatException {
    return ValueReader.read("blocks given back", value, VERSION, RevertedBlocksCodec::ranges);
  }

  private static RevertedBlocks ranges(ByteBuffer in) throws FormatException {
    if (in.get() != 0) {
      throw new FormatException("blocks given back have something in a reserved byte");
    }
    int count =
        ValueReader.bounded(
            "ranges given back", Short.toUnsignedInt(in.getShort()), RevertedBlocks.MAX_RANGES);
    SortedMap<Long, Long> ranges = new TreeMap<>();
    long reached = -1;
    for (int i = 0; i < count; i++) {
      long first = in.getLong();
      long end = in.getLong();
      if (first <= reached || end <= first) {
        throw new FormatException(
            "blocks " + first + " to " + end + " are given back after block " + reached);
      }
      ranges.put(first, end);
      reached = end;
    }
    return new RevertedBlocks(ranges);
  }
}
