package org.weft.cli.fs;

import java.io.IOException;
import org.weft.cli.files.RemoteFiles;

/**
 * Where the wanted end of a file begins. It is the last so many lines or bytes, or everything from
 * a line or byte on ("+5"; the first is 1).
 */
record TailStart(boolean lines, boolean fromFront, long count) {
  private static final int CHUNK_BYTES = 64 << 10;

  /**
   * Reads "20" or "+5".
   *
   * @throws IllegalArgumentException if it is no number
   */
  static TailStart parse(String option, boolean lines, String text) {
    boolean fromFront = text.startsWith("+");
    try {
      long count = lines ? Long.parseLong(text.replaceFirst("^[+-]", "")) : bytes(option, text);
      if (count < 0) {
        throw new NumberFormatException();
      }
      return new TailStart(lines, fromFront, fromFront ? Math.max(0, count - 1) : count);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          option + ": expected a number like 20, or +20 for everything from there on, got " + text,
          e);
    }
  }

  private static long bytes(String option, String text) {
    return SizeTest.bytes(option, text.replaceFirst("^[+-]", ""));
  }

  /** The position of the first byte to show. */
  long position(RemoteFiles.OpenFile file, long sizeBytes) throws IOException {
    if (!lines) {
      return fromFront ? Math.min(sizeBytes, count) : Math.max(0, sizeBytes - count);
    }
    return fromFront ? afterLines(file, sizeBytes) : beforeLines(file, sizeBytes);
  }

  private long afterLines(RemoteFiles.OpenFile file, long sizeBytes) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long seen = 0;
    for (long position = 0; position < sizeBytes && seen < count; ) {
      int length = file.read(position, chunk, 0, chunk.length);
      for (int index = 0; index < length; index++) {
        if (chunk[index] == '\n' && ++seen == count) {
          return position + index + 1;
        }
      }
      position += Math.max(1, length);
    }
    return seen < count ? sizeBytes : 0;
  }

  private long beforeLines(RemoteFiles.OpenFile file, long sizeBytes) throws IOException {
    if (count == 0) {
      return sizeBytes;
    }
    byte[] chunk = new byte[CHUNK_BYTES];
    long seen = 0;
    for (long end = sizeBytes; end > 0; ) {
      int length = (int) Math.min(end, chunk.length);
      long position = end - length;
      int got = file.read(position, chunk, 0, length);
      for (int index = got - 1; index >= 0; index--) {
        // The last byte ends the last line; it does not begin another.
        boolean ends = chunk[index] == '\n' && position + index + 1 < sizeBytes;
        if (ends && ++seen == count) {
          return position + index + 1;
        }
      }
      end = position;
    }
    return 0;
  }
}
