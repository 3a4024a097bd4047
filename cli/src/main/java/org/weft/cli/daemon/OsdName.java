package org.weft.cli.daemon;

import java.util.Optional;

/** How people name an OSD: osd-3, or 3. */
public final class OsdName {
  private static final String PREFIX = "osd-";
  private static final int MOST_DIGITS = 9;

  private OsdName() {}

  /** Its number; empty if the text names none. */
  public static Optional<Integer> parse(String text) {
    String digits = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
    boolean number = digits.matches("[1-9][0-9]*") && digits.length() <= MOST_DIGITS;
    return number ? Optional.of(Integer.valueOf(digits)) : Optional.empty();
  }

  /** Why the text names none, and what would. */
  public static String fault(String text) {
    return "'" + text + "' is no OSD; name one like osd-3 or 3, as `weft status` shows them";
  }
}
