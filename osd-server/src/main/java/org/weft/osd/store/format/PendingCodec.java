package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;

/**
 * The pending list of an object, as one value, so that it changes in one commit with the extents.
 *
 * <pre>
 *  0 version u8 = 1 | record count u32
 *  5 for each record:
 *    0 grant u64 | first sequence u64 | sequence count u32 | kind u8 | zero u8
 *   22 offset u64 | length u64 | eof u64 | checkpoint u64 | truncation number u32
 *   58 participant count u16 | extent count u32 | for each participant: index u32
 *    for each extent, 44 bytes and its CRCs:
 *      first block u64 | block count u16 | stride blocks u16 | flags u16 | zero u16
 *      | snapshot u32 | segment u32 | segment block u32 | grant u64 | sequence u64
 *      | for each block: crc u32
 * </pre>
 */
public final class PendingCodec {
  /** No list is longer: each grant has at most 1024 records, and few are live. */
  public static final int MAX_RECORDS = 1 << 20;

  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 5;
  private static final int RECORD_BYTES = 64;
  private static final int EXTENT_BYTES = 44;
  private static final int MAX_PARTICIPANTS = 1024;
  private static final int MAX_EXTENTS = 1 << 20;
  private static final PendingKind[] KINDS = PendingKind.values();

  private PendingCodec() {}

  public static byte[] encode(PendingRecords list) {
    int bytes = FIXED_BYTES;
    for (PendingRecord record : list.records()) {
      bytes +=
          RECORD_BYTES
              + record.write().participants().size() * Integer.BYTES
              + record.kept().size() * EXTENT_BYTES
              + record.keptBlocks() * Integer.BYTES;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes);
    out.put(VERSION).putInt(list.records().size());
    list.records().forEach(record -> put(out, record));
    return out.array();
  }

  private static void put(ByteBuffer out, PendingRecord record) {
    PendingWrite write = record.write();
    out.putLong(write.grant()).putLong(write.firstSequence()).putInt(write.sequenceCount());
    out.put((byte) write.kind().ordinal()).put((byte) 0);
    out.putLong(write.offsetBytes()).putLong(write.lengthBytes()).putLong(write.eofBytes());
    out.putLong(record.checkpoint());
    out.putInt(write.truncationNumber());
    out.putShort((short) write.participants().size()).putInt(record.kept().size());
    write.participants().forEach(out::putInt);
    for (Extent extent : record.kept()) {
      out.putLong(extent.firstBlock());
      out.putShort((short) extent.blockCount()).putShort((short) extent.strideBlocks());
      out.putShort((short) extent.flags()).putShort((short) 0);
      out.putInt(extent.snapshot()).putInt(extent.segment()).putInt(extent.segmentBlock());
      out.putLong(extent.grant()).putLong(extent.sequence());
      for (int crc : extent.crcs()) {
        out.putInt(crc);
      }
    }
  }

  public static PendingRecords decode(byte[] value) throws FormatException {
    return ValueReader.read("a pending list", value, VERSION, PendingCodec::records);
  }

  private static PendingRecords records(ByteBuffer in) throws FormatException {
    int count = ValueReader.bounded("records of a pending list", in.getInt(), MAX_RECORDS);
    List<PendingRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(record(in));
    }
    for (int i = 1; i < count; i++) {
      requireOrder(records.get(i - 1).write(), records.get(i).write());
    }
    return new PendingRecords(records);
  }

  private static void requireOrder(PendingWrite one, PendingWrite next) throws FormatException {
    int order = Long.compareUnsigned(one.grant(), next.grant());
    if (order > 0 || (order == 0 && one.lastSequence() >= next.firstSequence())) {
      throw new FormatException(
          "a pending list has write " + next.firstSequence() + " after " + one.lastSequence());
    }
  }

  private static PendingRecord record(ByteBuffer in) throws FormatException {
    long grant = in.getLong();
    long firstSequence = in.getLong();
    int sequences = in.getInt();
    if (firstSequence < 1 || sequences < 1) {
      throw new FormatException("a pending write has numbers " + firstSequence + ", " + sequences);
    }
    int kind = ValueReader.bounded("kind of a pending write", in.get(), KINDS.length - 1);
    if (in.get() != 0) {
      throw new FormatException("a pending write has something in its reserved byte");
    }
    long offset = in.getLong();
    long length = in.getLong();
    if (offset < 0 || length < 0 || offset + length < 0) {
      throw new FormatException("a pending write lies at " + offset + " and has " + length);
    }
    long eof = in.getLong();
    long checkpoint = in.getLong();
    int truncation = in.getInt();
    int participantCount =
        ValueReader.bounded("participants", in.getShort() & 0xffff, MAX_PARTICIPANTS);
    int extentCount = ValueReader.bounded("extents of a pending write", in.getInt(), MAX_EXTENTS);
    List<Integer> participants = new ArrayList<>(participantCount);
    for (int i = 0; i < participantCount; i++) {
      participants.add(in.getInt());
    }
    List<Extent> kept = new ArrayList<>();
    for (int i = 0; i < extentCount; i++) {
      kept.add(extent(in));
    }
    return new PendingRecord(
        new PendingWrite(
            grant,
            firstSequence,
            sequences,
            KINDS[kind],
            participants,
            offset,
            length,
            eof,
            truncation),
        checkpoint,
        kept);
  }

  private static Extent extent(ByteBuffer in) throws FormatException {
    long firstBlock = in.getLong();
    int blocks =
        ValueReader.bounded("blocks of an extent", in.getShort() & 0xffff, ExtentPage.BLOCKS);
    int stride = in.getShort() & 0xffff;
    int flags = in.getShort() & 0xffff;
    int reserved = in.getShort();
    int snapshot = in.getInt();
    int segment = in.getInt();
    int segmentBlock = in.getInt();
    if (firstBlock < 0
        || blocks == 0
        || ExtentPage.of(firstBlock) != ExtentPage.of(firstBlock + blocks - 1)
        || (flags & ~(Extent.SHARED | Extent.LOST)) != 0
        || reserved != 0
        || segment < 0
        || segmentBlock < 0) {
      throw new FormatException(
          "a kept extent has blocks " + firstBlock + ", " + blocks + " at " + segmentBlock);
    }
    long grant = in.getLong();
    long sequence = in.getLong();
    int[] crcs = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      crcs[i] = in.getInt();
    }
    return new Extent(
        firstBlock, flags, snapshot, grant, sequence, stride, segment, segmentBlock, crcs);
  }
}
