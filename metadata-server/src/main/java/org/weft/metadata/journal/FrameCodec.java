package org.weft.metadata.journal;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.weft.protocol.id.Lsn;

/**
 * One frame of a journal file, at an offset that is a multiple of 8. Big-endian:
 *
 * <pre>
 *  0 "WJF1"
 *  4 bytes of the body u32
 *  8 CRC32C u32 of: the file's salt u64, bytes 0..7, bytes 12..31, body
 * 12 kind u8: 1 record, 2 part of a snapshot, 3 mark | zeros (3 bytes)
 * 16 LSN u64: of the record; of the last record before a snapshot or mark
 * 24 group u64: offset in this file of the first frame that was synced together with this one
 * 32 body, then zeros up to a multiple of 8; of a mark: an LSN u64, below which the effects of records
 *    on objects are under a checkpoint and need no redo
 * </pre>
 *
 * <p>The group tells a torn tail from damage. Groups are written one after another, each synced
 * before the next, so only frames of the last group may be broken. A whole frame behind a broken
 * one proves damage if its group begins behind the broken one too.
 */
final class FrameCodec {
  static final int HEADER_BYTES = 32;

  private static final int ALIGNMENT = 8;
  private static final int MAGIC = 0x574a4631;
  private static final int AFTER_CRC = 12;

  /** What a frame holds. */
  enum Kind {
    RECORD(1),
    SNAPSHOT(2),
    MARK(3);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    private static Optional<Kind> of(int number) {
      return switch (number) {
        case 1 -> Optional.of(RECORD);
        case 2 -> Optional.of(SNAPSHOT);
        case 3 -> Optional.of(MARK);
        default -> Optional.empty();
      };
    }
  }

  /** A frame that was found whole; the body is a view. */
  record Frame(Kind kind, Lsn lsn, long groupBytes, int offsetBytes, ByteBuffer body) {
    int endBytes() {
      return offsetBytes + sizeBytes(body.remaining());
    }
  }

  private FrameCodec() {}

  /** Bytes that a frame with such a body takes in the file. */
  static int sizeBytes(int bodyBytes) {
    return (HEADER_BYTES + bodyBytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Appends a frame to what is about to be written. */
  static void put(ByteBuffer target, long salt, Kind kind, Lsn lsn, long groupBytes, byte[] body) {
    int start = target.position();
    target
        .putInt(MAGIC)
        .putInt(body.length)
        .putInt(0)
        .putInt(kind.number << 24)
        .putLong(lsn.value())
        .putLong(groupBytes)
        .put(body);
    while ((target.position() - start) % ALIGNMENT != 0) {
      target.put((byte) 0);
    }
    target.putInt(start + 8, crc(target, start, body.length, salt));
  }

  /** The frame at the offset of a file's bytes; empty if there is no whole one. */
  static Optional<Frame> at(ByteBuffer file, int offsetBytes, long salt) {
    if (file.limit() - offsetBytes < HEADER_BYTES || file.getInt(offsetBytes) != MAGIC) {
      return Optional.empty();
    }
    int bodyBytes = file.getInt(offsetBytes + 4);
    if (bodyBytes < 0 || bodyBytes > file.limit() - offsetBytes - HEADER_BYTES) {
      return Optional.empty();
    }
    if (file.getInt(offsetBytes + 8) != crc(file, offsetBytes, bodyBytes, salt)) {
      return Optional.empty();
    }
    Lsn lsn = new Lsn(file.getLong(offsetBytes + 16));
    long groupBytes = file.getLong(offsetBytes + 24);
    ByteBuffer body = file.slice(offsetBytes + HEADER_BYTES, bodyBytes).asReadOnlyBuffer();
    return Kind.of(file.get(offsetBytes + AFTER_CRC))
        .map(kind -> new Frame(kind, lsn, groupBytes, offsetBytes, body));
  }

  /** The next whole frame at or behind the offset; empty if there is none. */
  static Optional<Frame> find(ByteBuffer file, int fromBytes, long salt) {
    int from = (fromBytes + ALIGNMENT - 1) & -ALIGNMENT;
    for (int offset = from; offset + HEADER_BYTES <= file.limit(); offset += ALIGNMENT) {
      // No frame begins with a zero.
      offset = Math.max(offset, nextNonZero(file, offset) & -ALIGNMENT);
      Optional<Frame> frame = at(file, offset, salt);
      if (frame.isPresent()) {
        return frame;
      }
    }
    return Optional.empty();
  }

  /**
   * Where the next byte is that is not zero, or the limit. Behind the last frame lie megabytes that
   * were allocated and never written, and a backup that takes over runs this for the first time. A
   * loop over an array is compiled at once; calls for each offset are not.
   */
  private static int nextNonZero(ByteBuffer file, int fromBytes) {
    if (!file.hasArray()) {
      return fromBytes;
    }
    byte[] bytes = file.array();
    int end = file.arrayOffset() + file.limit();
    int next = file.arrayOffset() + fromBytes;
    while (next < end && bytes[next] == 0) {
      next++;
    }
    return next - file.arrayOffset();
  }

  private static int crc(ByteBuffer bytes, int start, int bodyBytes, long salt) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(8).putLong(0, salt));
    crc.update(bytes.slice(start, 8));
    crc.update(bytes.slice(start + AFTER_CRC, HEADER_BYTES - AFTER_CRC + bodyBytes));
    return (int) crc.getValue();
  }
}
