package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of extents. The CRCs stand last, in the order of the blocks.
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
public final class ExtentPageCodec {
  private static final byte VERSION = 1;
  private static final int EXTENT_BYTES = 36;
  private static final int FIXED_BYTES = 2;
  private static final int KNOWN_FLAGS =
      Extent.SHARED | Extent.CUT | Extent.HOLE | Extent.LAST | Extent.LOST;

  private ExtentPageCodec() {}

  public static byte[] encode(ExtentPage page) {
    int count = page.extents().size();
    ByteBuffer out =
        ByteBuffer.allocate(
            FIXED_BYTES + count * EXTENT_BYTES + page.storedBlocks() * Integer.BYTES);
    out.put(VERSION).put((byte) count);
    for (Extent extent : page.extents()) {
      out.put((byte) (extent.firstBlock() - page.firstBlock()));
      out.put((byte) extent.blockCount());
      out.putShort((short) extent.flags());
      out.putShort((short) extent.strideBlocks());
      out.putShort((short) 0);
      out.putInt(extent.snapshot()).putInt(extent.segment()).putInt(extent.segmentBlock());
      out.putLong(extent.grant()).putLong(extent.sequence());
    }
    for (Extent extent : page.extents()) {
      out.asIntBuffer().put(extent.crcs());
      out.position(out.position() + extent.blockCount() * Integer.BYTES);
    }
    return out.array();
  }

  public static ExtentPage decode(long number, byte[] value) throws FormatException {
    return ValueReader.read(
        "extent page " + Long.toUnsignedString(number),
        value,
        VERSION,
        in -> new ExtentPage(number, extents(number, in)));
  }

  private static List<Extent> extents(long number, ByteBuffer in) throws FormatException {
    int count = ValueReader.bounded("extents of a page", in.get() & 0xff, ExtentPage.BLOCKS);
    ByteBuffer crcs = in.duplicate();
    crcs.position(ValueReader.bounded("extents", in.position() + count * EXTENT_BYTES, in.limit()));
    List<Extent> extents = new ArrayList<>(count);
    int reached = 0;
    for (int i = 0; i < count; i++) {
      int first = in.get() & 0xff;
      int blocks = in.get() & 0xff;
      if (first < reached || blocks == 0 || first + blocks > ExtentPage.BLOCKS) {
        throw new FormatException(
            "extent "
                + i
                + " of a page has blocks "
                + first
                + " to "
                + (first + blocks)
                + " after block "
                + reached);
      }
      reached = first + blocks;
      extents.add(extent(number * ExtentPage.BLOCKS + first, blocks, in, crcs));
    }
    in.position(crcs.position());
    return extents;
  }

  private static Extent extent(long firstBlock, int blocks, ByteBuffer in, ByteBuffer crcs)
      throws FormatException {
    int flags = in.getShort() & 0xffff;
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new FormatException("an extent has flags that are not known: " + flags);
    }
    int stride = in.getShort() & 0xffff;
    if (in.getShort() != 0) {
      throw new FormatException("an extent has something in its reserved bytes");
    }
    int snapshot = in.getInt();
    int segment = in.getInt();
    int segmentBlock = in.getInt();
    if (segment < 0 || segmentBlock < 0) {
      throw new FormatException("an extent lies in segment " + segment + " at " + segmentBlock);
    }
    long grant = in.getLong();
    long sequence = in.getLong();
    int[] sums = new int[blocks];
    crcs.asIntBuffer().get(sums);
    crcs.position(crcs.position() + blocks * Integer.BYTES);
    return new Extent(
        firstBlock, flags, snapshot, grant, sequence, stride, segment, segmentBlock, sums);
  }
}
