package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Finds how far RocksDB's log reaches, and reads it as RocksDB writes it. To build tables from it
 * takes twenty times as long. It believes less than RocksDB does: what is damaged, or of a kind
 * that it does not know, ends the log here. Changes nothing.
 *
 * <p>A log is blocks of 32 KiB; a record is in one block, numbers are little-endian:
 *
 * <pre>
 *  0 CRC32C u32 of the rest, masked | length u16 | type u8: 1 whole, 2 first, 3 middle, 4 last part
 *  7 of the first part: number of the first change u64 | how many changes u32 | ...
 * </pre>
 */
final class LogScan {
  private static final Pattern LOG_NAME = Pattern.compile("\\d+\\.log");
  private static final int BLOCK_BYTES = 32 << 10;
  private static final int HEADER_BYTES = 7;
  private static final int TYPE_PLACE = 6;
  private static final int BATCH_HEADER_BYTES = 12;
  private static final int WHOLE = 1;
  private static final int FIRST = 2;
  private static final int MIDDLE = 3;
  private static final int LAST = 4;
  private static final int CRC_ROTATION = 15;
  private static final int CRC_DELTA = 0xa282ead8;

  private final CRC32C crc = new CRC32C();
  private long reached;
  // Of a change whose last part is still to come; 0: there is none.
  private long begun;

  private LogScan() {}

  /**
   * The number of the last change in the logs of a folder before any damage; 0 if there is none.
   */
  static long lastNumber(Path folder) throws IOException {
    LogScan scan = new LogScan();
    for (Path log : logs(folder)) {
      if (!scan.read(log)) {
        break;
      }
    }
    return scan.reached;
  }

  private static List<Path> logs(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> LOG_NAME.matcher(file.getFileName().toString()).matches())
          .sorted(Comparator.comparingLong(LogScan::numberOf))
          .toList();
    }
  }

  private static long numberOf(Path log) {
    String name = log.getFileName().toString();
    return Long.parseLong(name.substring(0, name.indexOf('.')));
  }

  /** False if it is not whole. */
  private boolean read(Path log) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.READ)) {
      boolean whole = true;
      while (whole && fill(channel, block.clear())) {
        whole = records(block);
      }
      return whole && begun == 0;
    }
  }

  /** False at the end of the file. */
  private static boolean fill(FileChannel channel, ByteBuffer block) throws IOException {
    while (block.hasRemaining() && channel.read(block) >= 0) {
      // Until the block is full or the file ends.
    }
    return block.flip().hasRemaining();
  }

  private boolean records(ByteBuffer block) {
    // What is left of a block that has no room for a header is zeros.
    while (block.remaining() >= HEADER_BYTES) {
      int start = block.position();
      int expected = block.getInt();
      int length = Short.toUnsignedInt(block.getShort());
      int type = block.get();
      if (length > block.remaining() || expected != crcOf(block, start, length)) {
        return false;
      }
      if (!take(type, block.slice(block.position(), length).order(ByteOrder.LITTLE_ENDIAN))) {
        return false;
      }
      block.position(block.position() + length);
    }
    return block.limit() == BLOCK_BYTES || !block.hasRemaining();
  }

  private int crcOf(ByteBuffer block, int start, int length) {
    crc.reset();
    crc.update(block.array(), start + TYPE_PLACE, 1 + length);
    return Integer.rotateRight((int) crc.getValue(), CRC_ROTATION) + CRC_DELTA;
  }

  /** Takes a part of a change; false if it is none, or stands where it cannot. */
  private boolean take(int type, ByteBuffer part) {
    boolean begins = type == WHOLE || type == FIRST;
    boolean goesOn = type == MIDDLE || type == LAST;
    if (begins == goesOn || goesOn != (begun != 0)) {
      return false;
    }
    if (begins) {
      if (part.remaining() < BATCH_HEADER_BYTES) {
        return false;
      }
      begun = part.getLong() + part.getInt() - 1;
    }
    if (type == WHOLE || type == LAST) {
      reached = Math.max(reached, begun);
      begun = 0;
    }
    return true;
  }
}
