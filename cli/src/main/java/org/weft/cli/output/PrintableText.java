package org.weft.cli.output;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Text that other users chose (names, messages of daemons) as a terminal may be shown it. A control
 * character would move the cursor, change colours, or make a line that looks like the command's
 * own.
 */
public final class PrintableText {
  private PrintableText() {}

  /**
   * A stack trace. All its lines but the first begin with white space, so that a message of several
   * lines makes none that looks like the command's own.
   */
  public static String ofTrace(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    StringBuilder shown = new StringBuilder();
    trace
        .toString()
        .lines()
        .map(line -> of(line.replace("\t", "  ")))
        .forEach(
            line ->
                shown
                    .append(shown.isEmpty() || line.startsWith("  ") ? "" : "  ")
                    .append(line)
                    .append(System.lineSeparator()));
    return shown.toString();
  }

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
