package org.weft.cli.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write them: {@code 512m}, {@code 4G}; powers of 1024. */
public final class ByteSize {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})\\s*([kmgt]?)(i?b)?");
  private static final String UNITS = "kmgt";

  private ByteSize() {}

  /**
   * Parses a size.
   *
   * @param name what the size is for, named in the error
   */
  public static long parse(String name, String text) {
    Matcher matcher = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new ConfigException(name + ": expected a size like 512m, 4G or 1T, got '" + text + "'");
    }
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (UNITS.indexOf(matcher.group(2)) + 1);
    long number = Long.parseLong(matcher.group(1));
    if (number > Long.MAX_VALUE >> shift) {
      throw new ConfigException(name + ": " + text + " is more than fits into 63 bits");
    }
    return number << shift;
  }
}
