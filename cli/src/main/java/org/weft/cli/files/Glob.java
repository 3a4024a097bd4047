package org.weft.cli.files;

import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A shell pattern for one name. {@code *} stands for any characters, {@code ?} for one, {@code
 * [a-z]} for one of them, {@code [!a-z]} for one of the others. {@code \} takes the next character
 * as it is. Case counts.
 */
public final class Glob implements Predicate<String> {
  private final Pattern pattern;
  private final boolean hidden;

  private Glob(Pattern pattern, boolean hidden) {
    this.pattern = pattern;
    this.hidden = hidden;
  }

  /**
   * A pattern for a name in a path: as in a shell, a leading dot must be spelt out.
   *
   * @throws IllegalArgumentException if it ends within a set or behind a backslash
   */
  public static Glob ofName(String text) {
    return new Glob(compile(text, 0), text.startsWith("."));
  }

  /** A pattern that may match leading dots too, as in {@code find}. */
  public static Glob of(String text, boolean ignoreCase) {
    int flags = ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
    return new Glob(compile(text, flags), true);
  }

  @Override
  public boolean test(String name) {
    return (hidden || !name.startsWith(".")) && pattern.matcher(name).matches();
  }

  private static Pattern compile(String text, int flags) {
    StringBuilder regex = new StringBuilder();
    int index = 0;
    while (index < text.length()) {
      char c = text.charAt(index);
      switch (c) {
        case '*' -> regex.append(".*");
        case '?' -> regex.append('.');
        case '[' -> index = appendSet(text, index, regex);
        case '\\' -> {
          if (++index == text.length()) {
            throw new IllegalArgumentException(text + ": a pattern must not end with a backslash");
          }
          appendLiteral(regex, text.charAt(index));
        }
        default -> appendLiteral(regex, c);
      }
      index++;
    }
    return Pattern.compile(regex.toString(), Pattern.DOTALL | flags);
  }

  private static void appendLiteral(StringBuilder regex, char c) {
    if ("\\^$.|?*+()[]{}&-~#".indexOf(c) >= 0) {
      regex.append('\\');
    }
    regex.append(c);
  }

  /** A set from its '[' on; gives the place of its ']'. Without one, '[' stands for itself. */
  private static int appendSet(String text, int from, StringBuilder regex) {
    int index = from + 1;
    boolean others = index < text.length() && "!^".indexOf(text.charAt(index)) >= 0;
    if (others) {
      index++;
    }
    int first = index;
    StringBuilder set = new StringBuilder(others ? "[^" : "[");
    while (index < text.length() && (text.charAt(index) != ']' || index == first)) {
      char c = text.charAt(index);
      boolean range = c == '-' && index > first && index + 1 < text.length();
      if (range && text.charAt(index + 1) != ']') {
        set.append('-');
      } else {
        appendLiteral(set, c);
      }
      index++;
    }
    if (index >= text.length()) {
      appendLiteral(regex, '[');
      return from;
    }
    try {
      Pattern.compile(set + "]");
    } catch (java.util.regex.PatternSyntaxException e) {
      throw new IllegalArgumentException(text + ": a range of characters runs backwards", e);
    }
    regex.append(set).append(']');
    return index;
  }
}
