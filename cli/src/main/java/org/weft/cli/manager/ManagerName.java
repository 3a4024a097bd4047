package org.weft.cli.manager;

import java.util.Optional;

/** How people name a manager: by its name, like manager-2, or its number. */
public final class ManagerName {
  private static final String PREFIX = "manager-";
  private static final int MOST_DIGITS = 9;

  private ManagerName() {}

  /** The manager's number; empty if the text names none. */
  public static Optional<Integer> parse(String text) {
    String digits = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
    boolean number = digits.matches("[1-9][0-9]*") && digits.length() <= MOST_DIGITS;
    return number ? Optional.of(Integer.valueOf(digits)) : Optional.empty();
  }

  /** What to say of a text that names no manager. */
  public static String fault(String text) {
    return "'"
        + text
        + "' is no manager; name one like manager-2 or 2, as `weft status` shows them";
  }
}
