package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Pages of extents as stores of format version 3 have them: {@link ExtentPageCodec} reads them, and
 * whatever changes is written anew.
 *
 * <pre>
 *  0 version u8 = 1 | extent count u8
 *  2 for each extent, 36 bytes:
 *    0 first block in the page u8 | block count u8 | flags u16 | stride blocks u16 | zero u16
 *    8 snapshot u32 | segment u32 | segment block u32
 *   20 grant u64 | sequence u64
 *  then for each block of each extent: crc u32
 * </pre>
 */
final class FixedExtents {
  static final byte VERSION = 1;
  private static final int EXTENT_BYTES = 36;

  private FixedExtents() {}

  /** Reads what stands behind the version. */
  static List<Extent> read(long number, ByteBuffer in) throws FormatException {
    int count = ValueReader.bounded("extents of a page", in.get() & 0xff, ExtentPage.BLOCKS);
    ByteBuffer crcs = in.duplicate();
    crcs.position(ValueReader.bounded("extents", in.position() + count * EXTENT_BYTES, in.limit()));
    List<Extent> extents = new ArrayList<>(count);
    int reached = 0;
    for (int i = 0; i < count; i++) {
      int first = in.get() & 0xff;
      int blocks = in.get() & 0xff;
      reached = ExtentPageCodec.requireOrder(i, first, blocks, reached);
      extents.add(extent(number * ExtentPage.BLOCKS + first, blocks, in, crcs));
    }
    in.position(crcs.position());
    return extents;
  }

  private static Extent extent(long firstBlock, int blocks, ByteBuffer in, ByteBuffer crcs)
      throws FormatException {
    int flags = ExtentPageCodec.requireKnown(in.getShort() & 0xffff);
    int stride = in.getShort() & 0xffff;
    if (in.getShort() != 0) {
      throw new FormatException("an extent has something in its reserved bytes");
    }
    int snapshot = in.getInt();
    int segment = in.getInt();
    int segmentBlock = in.getInt();
    ExtentPageCodec.requirePlace(segment, segmentBlock);
    long grant = in.getLong();
    long sequence = in.getLong();
    int[] sums = new int[blocks];
    ExtentPageCodec.read(sums, crcs);
    return new Extent(
        firstBlock, flags, snapshot, grant, sequence, stride, segment, segmentBlock, sums);
  }
}
