package org.weft.cli.output;

import java.util.Locale;

/** Numbers of bytes as people read them, in powers of 1024. */
public final class ByteText {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private ByteText() {}

  /** "0 B", "1.5 KiB", "64 MiB": three digits or four. */
  public static String of(long bytes) {
    if (bytes < 0) {
      return "-" + of(-Math.max(bytes, -Long.MAX_VALUE));
    }
    int unit = 0;
    double value = bytes;
    // What would round to 1024 of a unit is 1.0 of the next.
    while (value >= 1023.5 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    // One decimal, unless that shows nothing.
    double rounded = value < 99.95 ? Math.rint(value * 10) / 10 : Math.rint(value);
    String format = rounded == Math.rint(rounded) ? "%.0f %s" : "%.1f %s";
    return String.format(Locale.ROOT, format, rounded, UNITS[unit]);
  }

  /** "1,234,567". */
  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
