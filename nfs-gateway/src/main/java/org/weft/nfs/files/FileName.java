package org.weft.nfs.files;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A name in a directory: 1 to 255 bytes of UTF-8 without NUL and slash, and neither "." nor "..",
 * which are no entries.
 */
public record FileName(String value) {
  public static final int MAX_BYTES = 255;

  public FileName {
    if (isDot(value) || isDotDot(value) || value.isEmpty()) {
      throw new IllegalArgumentException("'" + value + "' is no name of an entry");
    }
  }

  /**
   * A name as it came from a client.
   *
   * @throws FileException NAME_TOO_LONG or INVALID
   */
  public static FileName of(byte[] bytes) throws FileException {
    String text = text(bytes);
    if (isDot(text) || isDotDot(text)) {
      throw new FileException(FileError.INVALID, "'" + text + "' cannot be used as a name here");
    }
    return new FileName(text);
  }

  /**
   * As {@link #of}, but "." and ".." are let through.
   *
   * @throws FileException NAME_TOO_LONG or INVALID
   */
  public static String text(byte[] bytes) throws FileException {
    if (bytes.length > MAX_BYTES) {
      throw new FileException(
          FileError.NAME_TOO_LONG,
          "a name has at most " + MAX_BYTES + " bytes, this one has " + bytes.length);
    }
    if (bytes.length == 0) {
      throw new FileException(FileError.INVALID, "a name has at least one byte");
    }
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new FileException(FileError.INVALID, "a name must be valid UTF-8");
    }
    if (text.indexOf('/') >= 0 || text.indexOf('\0') >= 0) {
      throw new FileException(FileError.INVALID, "a name has neither a slash nor a NUL");
    }
    return text;
  }

  public static boolean isDot(String text) {
    return text.equals(".");
  }

  public static boolean isDotDot(String text) {
    return text.equals("..");
  }

  public byte[] bytes() {
    return value.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return value;
  }
}
