package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ScrubNotes;
import org.weft.protocol.id.ObjectName;

/**
 * How far the scrubber is, and what it found.
 *
 * <pre>
 *  0 version u8 = 1 | flags u8: 1 more bad blocks, 2 a pass was full | bad block count u16
 *  4 started u64 | last full pass u64 | bytes u64, times in milliseconds
 * 28 partition u64 | object u64 | page u64
 * 52 for each bad block: partition u64 | object u64 | block u64 | flags u8: 1 kept
 * </pre>
 */
public final class ScrubNotesCodec {
  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 52;
  private static final int BAD_BYTES = 3 * Long.BYTES + 1;
  private static final int MORE = 1;
  private static final int FULL = 2;
  private static final int KEPT = 1;

  private ScrubNotesCodec() {}

  public static byte[] encode(ScrubNotes notes) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + notes.bad().size() * BAD_BYTES);
    int flags = (notes.moreBad() ? MORE : 0) | (notes.fullPassMillis().isPresent() ? FULL : 0);
    out.put(VERSION).put((byte) flags).putShort((short) notes.bad().size());
    out.putLong(notes.startedMillis());
    out.putLong(notes.fullPassMillis().orElse(0));
    out.putLong(notes.passBytes());
    put(out, notes.place().object()).putLong(notes.place().page());
    for (BadBlock bad : notes.bad()) {
      put(out, bad.object()).putLong(bad.block()).put((byte) (bad.kept() ? KEPT : 0));
    }
    return out.array();
  }

  public static ScrubNotes decode(byte[] value) throws FormatException {
    return ValueReader.read("the scrubber's notes", value, VERSION, ScrubNotesCodec::fields);
  }

  private static ScrubNotes fields(ByteBuffer in) throws FormatException {
    int flags = in.get();
    int count =
        ValueReader.bounded("bad blocks", Short.toUnsignedInt(in.getShort()), ScrubNotes.MAX_BAD);
    long started = in.getLong();
    long full = in.getLong();
    long bytes = in.getLong();
    MediumPlace place = new MediumPlace(name(in), in.getLong());
    List<BadBlock> bad = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bad.add(new BadBlock(name(in), in.getLong(), (in.get() & KEPT) != 0));
    }
    return new ScrubNotes(
        started,
        place,
        bytes,
        (flags & FULL) != 0 ? OptionalLong.of(full) : OptionalLong.empty(),
        bad,
        (flags & MORE) != 0);
  }

  private static ByteBuffer put(ByteBuffer out, ObjectName name) {
    return out.putLong(name.partition().value()).putLong(name.object().value());
  }

  private static ObjectName name(ByteBuffer in) {
    return ObjectName.of(in.getLong(), in.getLong());
  }
}
