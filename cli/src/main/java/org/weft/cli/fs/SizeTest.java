package org.weft.cli.fs;

import org.weft.cli.config.ByteSize;
import org.weft.cli.config.ConfigException;

/**
 * A size to compare with: "+10M" more, "-1k" fewer, "0" exactly.
 *
 * @param sign 1, -1 or 0
 */
record SizeTest(int sign, long bytes) {
  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if it is none
   */
  static SizeTest parse(String text) {
    int sign = text.startsWith("+") ? 1 : text.startsWith("-") ? -1 : 0;
    return new SizeTest(sign, bytes("--size", sign == 0 ? text : text.substring(1)));
  }

  /** A number of bytes with or without a unit. */
  static long bytes(String name, String text) {
    try {
      return ByteSize.parse(name, text);
    } catch (ConfigException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  boolean test(long sizeBytes) {
    return sign == 0 ? sizeBytes == bytes : Integer.signum(Long.compare(sizeBytes, bytes)) == sign;
  }
}
