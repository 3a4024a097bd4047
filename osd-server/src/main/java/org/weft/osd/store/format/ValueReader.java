package org.weft.osd.store.format;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Reads one stored value and turns whatever is wrong with it into a {@link FormatException}. */
final class ValueReader {
  /** Takes the fields behind the version, in order. */
  @FunctionalInterface
  interface Fields<T> {
    T read(ByteBuffer in) throws FormatException;
  }

  private ValueReader() {}

  /** Reads the version byte, then the fields, which must take the whole value. */
  static <T> T read(String what, byte[] value, int version, Fields<T> fields)
      throws FormatException {
    ByteBuffer in = ByteBuffer.wrap(value);
    try {
      int found = in.get() & 0xff;
      if (found != version) {
        throw new FormatException(
            what + " has layout version " + found + ", this release reads " + version);
      }
      T result = fields.read(in);
      if (in.hasRemaining()) {
        throw new FormatException(what + " has " + in.remaining() + " bytes too many");
      }
      return result;
    } catch (BufferUnderflowException e) {
      throw new FormatException(what + " is cut short at " + value.length + " bytes", e);
    } catch (IllegalArgumentException e) {
      throw new FormatException(what + " is damaged: " + e.getMessage(), e);
    }
  }

  /** A count or length that was read, checked before anything of that size is allocated. */
  static int bounded(String what, int value, int max) throws FormatException {
    if (value < 0 || value > max) {
      throw new FormatException(what + " must be 0.." + max + ", got " + value);
    }
    return value;
  }
}
