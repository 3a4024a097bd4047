package org.weft.protocol.rpc;

/** Bounds texts that are made of what peers sent, so that keeping many of them is cheap. */
public final class MessageText {
  /** Longer texts lose their middle. */
  public static final int MAX_CHARS = 1_024;

  private static final String GAP = " ... ";

  private MessageText() {}

  /** The text, or its beginning and its end. */
  public static String cut(String text) {
    return cut(text, MAX_CHARS);
  }

  /**
   * The same with another bound.
   *
   * @param mostChars of what is returned; more than a few
   */
  public static String cut(String text, int mostChars) {
    if (text.length() <= mostChars) {
      return text;
    }
    int kept = mostChars - GAP.length();
    int head = kept / 2;
    int tail = text.length() - (kept - head);
    // No half of a character stays.
    if (Character.isHighSurrogate(text.charAt(head - 1))) {
      head--;
    }
    if (Character.isLowSurrogate(text.charAt(tail))) {
      tail++;
    }
    return text.substring(0, head) + GAP + text.substring(tail);
  }
}
