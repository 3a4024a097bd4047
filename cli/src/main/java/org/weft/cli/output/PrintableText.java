package org.weft.cli.output;

/**
 * Text that other users chose (names, messages of daemons) as a terminal may be shown it. A control
 * character would move the cursor, change colours, or make a line that looks like the command's
 * own.
 */
public final class PrintableText {
  private PrintableText() {}

  /** Shows each control character as its number, as in Java: {@code \\u001b}. */
  public static String of(String text) {
    if (text.chars().noneMatch(Character::isISOControl)) {
      return text;
    }
    StringBuilder shown = new StringBuilder(text.length() + 8);
    for (int index = 0; index < text.length(); index++) {
      char c = text.charAt(index);
      if (Character.isISOControl(c)) {
        shown.append(String.format("\\u%04x", (int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.toString();
  }
}
