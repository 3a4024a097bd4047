package org.weft.bench.load;

import java.util.Locale;

/** Sizes as people write them. */
public final class Sizes {
  private Sizes() {}

  /**
   * A number with k, m or g (powers of 1024).
   *
   * @throws IllegalArgumentException if it is none
   */
  public static long bytes(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int shift = lower.endsWith("k") ? 10 : lower.endsWith("m") ? 20 : lower.endsWith("g") ? 30 : 0;
    String number = shift == 0 ? lower : lower.substring(0, lower.length() - 1);
    if (!number.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException("a size is a number with k, m or g, got '" + text + "'");
    }
    return Long.parseLong(number) << shift;
  }
}
