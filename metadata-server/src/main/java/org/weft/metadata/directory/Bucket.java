package org.weft.metadata.directory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * A block of entries. Behind what {@link DirectoryBlock} draws:
 *
 * <pre>
 * 16 entries in the block u16 | offset behind the last one u16 | zeros (4 bytes)
 * 24 entries, one behind the other, cookies ascending:
 *      0 cookie u64: place with its collision number in the low 8 bits
 *      8 object id u64
 *     16 LSN of the entry u64
 *     24 kind u8 | hints u8 | bytes of the name u8 | zero
 *     28 hints: OSD ids u32
 *        name, UTF-8
 * </pre>
 *
 * <p>Immutable; changing it makes another, not sealed yet.
 */
final class Bucket {
  private static final int MAX_NAME_BYTES = 255;
  private static final int COUNT = DirectoryBlock.CONTENT;
  private static final int END = COUNT + 2;
  private static final int FIRST = 24;
  private static final int ENTRY_HEADER_BYTES = 28;
  private static final byte[] NOTHING = {};

  private final ByteBuffer bytes;

  private Bucket(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  static Bucket of(byte[] block) {
    return new Bucket(ByteBuffer.wrap(block));
  }

  static Bucket empty() {
    ByteBuffer bytes = DirectoryBlock.blank(DirectoryBlock.Kind.BUCKET);
    return new Bucket(bytes.putShort(END, (short) FIRST));
  }

  static Optional<String> problemOf(byte[] block) {
    Bucket bucket = of(block);
    int offset = FIRST;
    long cookie = 0;
    for (int left = bucket.count(); left > 0; left--) {
      if (offset + ENTRY_HEADER_BYTES > DirectoryBlock.BYTES
          || !bucket.isPlausible(offset)
          || bucket.next(offset) > DirectoryBlock.BYTES
          || bucket.bytes.getLong(offset) <= cookie) {
        return Optional.of("its entry at offset " + offset + " cannot be");
      }
      cookie = bucket.bytes.getLong(offset);
      offset = bucket.next(offset);
    }
    return offset == bucket.end() ? Optional.empty() : Optional.of("its entries end elsewhere");
  }

  private boolean isPlausible(int offset) {
    int kind = bytes.get(offset + 24);
    int hints = bytes.get(offset + 25);
    return NodeKind.isNumber(kind) && hints >= 0 && hints <= DirectoryEntry.MAX_HINTS;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  int count() {
    return bytes.getShort(COUNT) & 0xffff;
  }

  private int end() {
    return bytes.getShort(END);
  }

  private int next(int offset) {
    return offset
        + ENTRY_HEADER_BYTES
        + bytes.get(offset + 25) * Integer.BYTES
        + (bytes.get(offset + 26) & 0xff);
  }

  private int nameOffset(int offset) {
    return offset + ENTRY_HEADER_BYTES + bytes.get(offset + 25) * Integer.BYTES;
  }

  /** Offset of the entry with that name; 0 if there is none. */
  private int offsetOf(long place, byte[] name) {
    int end = end();
    for (int offset = firstAfter(place); offset < end; offset = next(offset)) {
      if (NameHash.placeOfCookie(bytes.getLong(offset)) != place) {
        return 0;
      }
      int from = nameOffset(offset);
      if (Arrays.equals(bytes.array(), from, next(offset), name, 0, name.length)) {
        return offset;
      }
    }
    return 0;
  }

  /** The entry with that name. */
  Optional<DirectoryEntry> find(long place, byte[] name) {
    int offset = offsetOf(place, name);
    return offset == 0 ? Optional.empty() : Optional.of(entryAt(offset));
  }

  /** The cookie of the entry with that name; 0 if there is none. */
  long cookieOf(long place, byte[] name) {
    int offset = offsetOf(place, name);
    return offset == 0 ? 0 : bytes.getLong(offset);
  }

  /** A cookie at the place that no entry has. */
  long freeCookie(long place) {
    long candidate = place + 1;
    for (int offset = firstAfter(place);
        offset < end() && bytes.getLong(offset) == candidate;
        offset = next(offset)) {
      if (NameHash.numberOfCookie(candidate) == NameHash.MAX_NUMBER) {
        throw new IllegalStateException(NameHash.MAX_NUMBER + " names of a directory share a hash");
      }
      candidate++;
    }
    return candidate;
  }

  /** Offset of the first entry with a larger cookie; the end if there is none. */
  private int firstAfter(long cookie) {
    int offset = FIRST;
    int end = end();
    while (offset < end && bytes.getLong(offset) <= cookie) {
      offset = next(offset);
    }
    return offset;
  }

  /** Adds entries with larger cookies to the list until it has so many. */
  void listAfter(long cookie, int max, List<NamedEntry> target) {
    for (int offset = firstAfter(cookie);
        offset < end() && target.size() < max;
        offset = next(offset)) {
      target.add(decode(offset));
    }
  }

  boolean hasAfter(long cookie) {
    return firstAfter(cookie) < end();
  }

  private NamedEntry decode(int offset) {
    int nameOffset = nameOffset(offset);
    String name =
        new String(bytes.array(), nameOffset, next(offset) - nameOffset, StandardCharsets.UTF_8);
    return new NamedEntry(name, bytes.getLong(offset), entryAt(offset));
  }

  private DirectoryEntry entryAt(int offset) {
    OsdId[] hints = new OsdId[bytes.get(offset + 25)];
    for (int index = 0; index < hints.length; index++) {
      hints[index] = new OsdId(bytes.getInt(offset + ENTRY_HEADER_BYTES + index * Integer.BYTES));
    }
    return new DirectoryEntry(
        new ObjectId(bytes.getLong(offset + 8)),
        NodeKind.of(bytes.get(offset + 24)),
        new Lsn(bytes.getLong(offset + 16)),
        List.of(hints));
  }

  static byte[] encode(long cookie, byte[] name, DirectoryEntry entry) {
    if (name.length < 1 || name.length > MAX_NAME_BYTES) {
      throw new IllegalArgumentException("a name has 1..255 bytes, got " + name.length);
    }
    int hintBytes = entry.hints().size() * Integer.BYTES;
    ByteBuffer out = ByteBuffer.allocate(ENTRY_HEADER_BYTES + hintBytes + name.length);
    out.putLong(cookie)
        .putLong(entry.object().value())
        .putLong(entry.lsn().value())
        .put((byte) entry.kind().number())
        .put((byte) entry.hints().size())
        .put((byte) name.length)
        .put((byte) 0);
    entry.hints().forEach(hint -> out.putInt(hint.value()));
    return out.put(name).array();
  }

  boolean fits(byte[] encodedEntry) {
    return end() + encodedEntry.length <= DirectoryBlock.BYTES;
  }

  /** With the entry, which must fit and whose cookie must be new. */
  Bucket with(byte[] encodedEntry) {
    int at = firstAfter(ByteBuffer.wrap(encodedEntry).getLong(0));
    return spliced(at, at, encodedEntry, 1);
  }

  /** Without the entry of that cookie, which must be here. */
  Bucket without(long cookie) {
    int at = firstAfter(cookie - 1);
    return spliced(at, next(at), NOTHING, -1);
  }

  /** The entries from a place on, up to a cookie that may be among them. */
  Bucket range(long fromPlace, long lastCookie) {
    int from = firstAfter(fromPlace);
    int to = firstAfter(lastCookie);
    int count = 0;
    for (int offset = from; offset < to; offset = next(offset)) {
      count++;
    }
    ByteBuffer out = empty().bytes;
    out.put(FIRST, bytes.array(), from, to - from);
    out.putShort(COUNT, (short) count).putShort(END, (short) (FIRST + to - from));
    return new Bucket(out);
  }

  private Bucket spliced(int from, int to, byte[] insert, int countChange) {
    byte[] spliced = bytes.array().clone();
    int oldEnd = end();
    int newEnd = oldEnd + insert.length - (to - from);
    System.arraycopy(spliced, to, spliced, from + insert.length, oldEnd - to);
    System.arraycopy(insert, 0, spliced, from, insert.length);
    if (newEnd < oldEnd) {
      Arrays.fill(spliced, newEnd, oldEnd, (byte) 0);
    }
    ByteBuffer out = ByteBuffer.wrap(spliced);
    out.putShort(COUNT, (short) (count() + countChange));
    out.putShort(END, (short) newEnd);
    return new Bucket(out);
  }
}
