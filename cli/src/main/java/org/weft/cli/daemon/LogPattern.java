package org.weft.cli.daemon;

/**
 * The layout of a log line. Log messages contain what peers say. A control character of theirs is
 * shown as "?", and lines of a stack trace are indented. So no text of a peer looks like a log line
 * of its own.
 */
final class LogPattern {
  private static final String CONTROLS = "'[\\x00-\\x1f\\x7f-\\x9f]', '?'";
  private static final String CONTROLS_IN_LINES = "'[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]', '?'";
  private static final String INDENTED = "'(\\n)(?=.)', '$1  '";

  /** Message, end of line, stack trace. {@code logback.xml} holds a copy. */
  static final String MESSAGE =
      "%replace(%msg){"
          + CONTROLS
          + "}%n%replace(%replace(%ex){"
          + CONTROLS_IN_LINES
          + "}){"
          + INDENTED
          + "}%nopex";

  private LogPattern() {}
}
