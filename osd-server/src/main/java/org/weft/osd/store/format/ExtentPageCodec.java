package org.weft.osd.store.format;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of extents. An extent leaves out what it has in common with the one before it. A page is
 * stored as a whole with every record that is appended. Where each block came by a write of its
 * own, an extent takes 7 bytes. The CRCs stand last, in the order of the blocks.
 *
 * <pre>
 *  0 version u8 = 2 | extent count u8
 *  2 for each extent:
 *    fields u8: which of these there are
 *       1 first block in the page u8      else the first behind the extent before
 *       2 block count u8                  else 1
 *       4 segment u32                     else as before
 *       8 grant u64                       else as before
 *      16 flags u16 | stride blocks u16 | snapshot u32    else as before
 *    segment block     more than the first one behind the extent before, a number
 *    sequence          more than that of the extent before, a number
 *  then for each block of each extent: crc u32
 * </pre>
 *
 * A number is one of protobuf's sint64: 0, -1, 1, -2, 2 stand as 0, 1, 2, 3, 4 and so on. It has
 * seven bits in a byte, the lowest first; the eighth says that more follow. Before the first extent
 * all is 0, and the page begins.
 */
public final class ExtentPageCodec {
  private static final byte VERSION = 2;
  private static final int FIXED_BYTES = 2;
  private static final int FIRST_BLOCK = 1;
  private static final int BLOCK_COUNT = 2;
  private static final int SEGMENT = 4;
  private static final int GRANT = 8;
  private static final int REST = 16;
  private static final int KNOWN_FIELDS = FIRST_BLOCK | BLOCK_COUNT | SEGMENT | GRANT | REST;
  private static final int REST_BYTES = 2 * Short.BYTES + Integer.BYTES;
  private static final int KNOWN_FLAGS =
      Extent.SHARED | Extent.CUT | Extent.HOLE | Extent.LAST | Extent.LOST;
  private static final int NUMBER_BITS = 7;
  private static final int MORE = 1 << NUMBER_BITS;

  private ExtentPageCodec() {}

  public static byte[] encode(ExtentPage page) {
    ByteBuffer out = ByteBuffer.allocate(sizeBytes(page));
    out.put(VERSION).put((byte) page.extents().size());
    Extent before = before(page.firstBlock());
    for (Extent extent : page.extents()) {
      put(out, extent, before, page.firstBlock());
      before = extent;
    }
    for (Extent extent : page.extents()) {
      for (int crc : extent.crcs()) {
        out.putInt(crc);
      }
    }
    return out.array();
  }

  /** What there is before the first extent. */
  private static Extent before(long firstBlock) {
    return new Extent(firstBlock, 0, 0, 0, 0, 0, 0, 0, new int[0]);
  }

  private static int sizeBytes(ExtentPage page) {
    int bytes = FIXED_BYTES;
    Extent before = before(page.firstBlock());
    for (Extent extent : page.extents()) {
      int fields = fieldsOf(extent, before);
      bytes +=
          1
              + ((fields & FIRST_BLOCK) == 0 ? 0 : 1)
              + ((fields & BLOCK_COUNT) == 0 ? 0 : 1)
              + ((fields & SEGMENT) == 0 ? 0 : Integer.BYTES)
              + ((fields & GRANT) == 0 ? 0 : Long.BYTES)
              + ((fields & REST) == 0 ? 0 : REST_BYTES)
              + CodedOutputStream.computeSInt64SizeNoTag(placeBehind(extent, before))
              + CodedOutputStream.computeSInt64SizeNoTag(extent.sequence() - before.sequence())
              + extent.blockCount() * Integer.BYTES;
      before = extent;
    }
    return bytes;
  }

  private static int fieldsOf(Extent extent, Extent before) {
    boolean sameRest =
        extent.flags() == before.flags()
            && extent.strideBlocks() == before.strideBlocks()
            && extent.snapshot() == before.snapshot();
    return (extent.firstBlock() == before.endBlock() ? 0 : FIRST_BLOCK)
        | (extent.blockCount() == 1 ? 0 : BLOCK_COUNT)
        | (extent.segment() == before.segment() ? 0 : SEGMENT)
        | (extent.grant() == before.grant() ? 0 : GRANT)
        | (sameRest ? 0 : REST);
  }

  private static long placeBehind(Extent extent, Extent before) {
    return (long) extent.segmentBlock() - before.segmentBlock() - before.blockCount();
  }

  private static void put(ByteBuffer out, Extent extent, Extent before, long pageBlock) {
    int fields = fieldsOf(extent, before);
    out.put((byte) fields);
    if ((fields & FIRST_BLOCK) != 0) {
      out.put((byte) (extent.firstBlock() - pageBlock));
    }
    if ((fields & BLOCK_COUNT) != 0) {
      out.put((byte) extent.blockCount());
    }
    if ((fields & SEGMENT) != 0) {
      out.putInt(extent.segment());
    }
    if ((fields & GRANT) != 0) {
      out.putLong(extent.grant());
    }
    if ((fields & REST) != 0) {
      out.putShort((short) extent.flags());
      out.putShort((short) extent.strideBlocks());
      out.putInt(extent.snapshot());
    }
    putNumber(out, placeBehind(extent, before));
    putNumber(out, extent.sequence() - before.sequence());
  }

  private static void putNumber(ByteBuffer out, long number) {
    long left = CodedOutputStream.encodeZigZag64(number);
    while (Long.compareUnsigned(left, MORE) >= 0) {
      out.put((byte) (left | MORE));
      left >>>= NUMBER_BITS;
    }
    out.put((byte) left);
  }

  private static long number(ByteBuffer in) throws FormatException {
    long folded = 0;
    for (int shift = 0; shift < Long.SIZE; shift += NUMBER_BITS) {
      byte next = in.get();
      folded |= (long) (next & MORE - 1) << shift;
      if (next >= 0) {
        return CodedInputStream.decodeZigZag64(folded);
      }
    }
    throw new FormatException("a number in an extent does not end");
  }

  /** Reads what this release has written, or one whose stores have format version 3 or less. */
  public static ExtentPage decode(long number, byte[] value) throws FormatException {
    boolean fixed = value.length > 0 && value[0] == FixedExtents.VERSION;
    return ValueReader.read(
        "extent page " + Long.toUnsignedString(number),
        value,
        fixed ? FixedExtents.VERSION : VERSION,
        in -> new ExtentPage(number, fixed ? FixedExtents.read(number, in) : extents(number, in)));
  }

  private static List<Extent> extents(long number, ByteBuffer in) throws FormatException {
    int count = ValueReader.bounded("extents of a page", in.get() & 0xff, ExtentPage.BLOCKS);
    long pageBlock = number * ExtentPage.BLOCKS;
    List<Extent> extents = new ArrayList<>(count);
    Extent before = before(pageBlock);
    for (int i = 0; i < count; i++) {
      before = extent(i, in, before, pageBlock);
      extents.add(before);
    }
    extents.forEach(extent -> read(extent.crcs(), in));
    return extents;
  }

  /** With room for its checksums, which stand further behind. */
  private static Extent extent(int index, ByteBuffer in, Extent before, long pageBlock)
      throws FormatException {
    int fields = in.get();
    if ((fields & ~KNOWN_FIELDS) != 0) {
      throw new FormatException("an extent has fields that are not known: " + fields);
    }
    int reached = (int) (before.endBlock() - pageBlock);
    int first = (fields & FIRST_BLOCK) == 0 ? reached : in.get() & 0xff;
    int blocks = (fields & BLOCK_COUNT) == 0 ? 1 : in.get() & 0xff;
    requireOrder(index, first, blocks, reached);
    int segment = (fields & SEGMENT) == 0 ? before.segment() : in.getInt();
    long grant = (fields & GRANT) == 0 ? before.grant() : in.getLong();
    boolean sameRest = (fields & REST) == 0;
    int flags = sameRest ? before.flags() : requireKnown(in.getShort() & 0xffff);
    int stride = sameRest ? before.strideBlocks() : in.getShort() & 0xffff;
    int snapshot = sameRest ? before.snapshot() : in.getInt();
    long segmentBlock = (long) before.segmentBlock() + before.blockCount() + number(in);
    requirePlace(segment, segmentBlock);
    long sequence = before.sequence() + number(in);
    return new Extent(
        pageBlock + first,
        flags,
        snapshot,
        grant,
        sequence,
        stride,
        segment,
        (int) segmentBlock,
        new int[blocks]);
  }

  /** Where the extent ends; they ascend, do not overlap, and stay inside the page. */
  static int requireOrder(int index, int first, int blocks, int reached) throws FormatException {
    if (first < reached || blocks == 0 || first + blocks > ExtentPage.BLOCKS) {
      throw new FormatException(
          "extent "
              + index
              + " of a page has blocks "
              + first
              + " to "
              + (first + blocks)
              + " after block "
              + reached);
    }
    return first + blocks;
  }

  static int requireKnown(int flags) throws FormatException {
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new FormatException("an extent has flags that are not known: " + flags);
    }
    return flags;
  }

  static void requirePlace(int segment, long segmentBlock) throws FormatException {
    if (segment < 0 || segmentBlock < 0 || segmentBlock > Integer.MAX_VALUE) {
      throw new FormatException("an extent lies in segment " + segment + " at " + segmentBlock);
    }
  }

  static void read(int[] crcs, ByteBuffer in) {
    in.asIntBuffer().get(crcs);
    in.position(in.position() + crcs.length * Integer.BYTES);
  }
}
