package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.value.ObjectTag;

/**
 * An object's record.
 *
 * <pre>
 *  0 version u8 = 2 | flags u8 (1: there is a pending list; 2: no attribute page but page 0)
 *  2 handle u64 | change u64 | object version u64 | resolved below u64
 * 34 tag: map generation u32 | component index u32 | data units u32 | parity units u32
 *         | unit bytes u32 | groups u32 | group depth u32
 * 62 truncation number u32 | eof u64 | component bytes u64 | used blocks u64 | snapshot u32
 * 94 mark count u16 | for each mark: grant u64 | complete up to u64
 * </pre>
 */
public final class ObjectRecordCodec {
  private static final byte VERSION = 2;
  private static final int FIXED_BYTES = 96;
  private static final int PENDING = 1;
  private static final int ONLY_FIRST_PAGE = 2;
  private static final int MARK_BYTES = 2 * Long.BYTES;

  private ObjectRecordCodec() {}

  public static byte[] encode(ObjectRecord record) {
    List<CompletionMarks.Mark> marks = record.completions().marks();
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + marks.size() * MARK_BYTES);
    int pending = record.hasPending() ? PENDING : 0;
    out.put(VERSION).put((byte) (pending | (record.onlyFirstPage() ? ONLY_FIRST_PAGE : 0)));
    out.putLong(record.handle()).putLong(record.change()).putLong(record.version());
    out.putLong(record.resolvedBelow());
    ObjectTag tag = record.tag();
    out.putInt(tag.mapGeneration()).putInt(tag.componentIndex());
    out.putInt(tag.dataUnits()).putInt(tag.parityUnits()).putInt(tag.unitBytes());
    out.putInt(tag.groups()).putInt(tag.groupDepth());
    out.putInt(record.truncationNumber()).putLong(record.eofBytes());
    out.putLong(record.componentBytes()).putLong(record.usedBlocks());
    out.putInt(record.snapshot());
    out.putShort((short) marks.size());
    for (CompletionMarks.Mark mark : marks) {
      out.putLong(mark.grant()).putLong(mark.upTo());
    }
    return out.array();
  }

  public static ObjectRecord decode(byte[] value) throws FormatException {
    return ValueReader.read("an object's record", value, VERSION, ObjectRecordCodec::fields);
  }

  private static ObjectRecord fields(ByteBuffer in) throws FormatException {
    int flags = in.get();
    if ((flags & ~(PENDING | ONLY_FIRST_PAGE)) != 0) {
      throw new FormatException("an object's record has flags that are not known: " + flags);
    }
    long handle = in.getLong();
    long change = in.getLong();
    long version = in.getLong();
    long resolvedBelow = in.getLong();
    ObjectTag tag =
        new ObjectTag(
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getInt(),
            in.getInt());
    int truncationNumber = in.getInt();
    long eofBytes = in.getLong();
    long componentBytes = in.getLong();
    long usedBlocks = in.getLong();
    int snapshot = in.getInt();
    int count = ValueReader.bounded("marks", in.getShort() & 0xffff, CompletionMarks.MAX_GRANTS);
    List<CompletionMarks.Mark> marks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      marks.add(new CompletionMarks.Mark(in.getLong(), in.getLong()));
    }
    return new ObjectRecord(
        handle,
        change,
        version,
        resolvedBelow,
        tag,
        truncationNumber,
        eofBytes,
        componentBytes,
        usedBlocks,
        snapshot,
        new CompletionMarks(marks),
        (flags & PENDING) != 0,
        (flags & ONLY_FIRST_PAGE) != 0);
  }
}
