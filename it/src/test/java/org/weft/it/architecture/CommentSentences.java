package org.weft.it.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sentences in the comments of a Java source, with how many words each has. A reference in
 * braces counts as one word, and so does the number of a rule, such as P 5.4. Drawings are left
 * out. A tag of Javadoc, a paragraph and an item of a list begin a sentence.
 */
final class CommentSentences {
  /**
   * A sentence.
   *
   * @param line of the comment that it is in
   */
  record Sentence(int line, int words, String text) {}

  /** Texts come first, so that what looks like a comment in one is none. */
  private static final Pattern COMMENT =
      Pattern.compile(
          "\"\"\".*?(?<!\\\\)\"\"\""
              + "|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\""
              + "|'(?:\\\\.|[^'\\\\\\n])++'"
              + "|(?<comment>/\\*.*?\\*/|//[^\\n]*+(?:\\n[ \\t]*+//[^\\n]*+)*+)",
          Pattern.DOTALL);

  private static final Pattern MARGIN = Pattern.compile("(?m)^[ \\t]*(?:/\\*+|//+|\\*(?!/))?");
  private static final Pattern DRAWING = Pattern.compile("(?s)<pre>.*?</pre>");
  private static final Pattern TAG =
      Pattern.compile("(?m)^[ \\t]*@(?:(?:param|throws)\\s+\\S+|\\w+)");
  private static final Pattern REFERENCE =
      Pattern.compile("\\{@(?:code|link|linkplain|literal|value)\\b[^{}]*+\\}");
  private static final Pattern PARAGRAPH =
      Pattern.compile(
          "</?(?:p|ul|ol|li|h\\d|table|tr|td|th|thead|tbody|dl|dt|dd|caption|blockquote)\\b[^<>]*+>"
              + "|\\n\\s*\\n|\\n[ \\t]*(?=(?:[-*]|\\d+\\.) )");
  private static final Pattern RULE_NUMBER = Pattern.compile("\\b([PM]) (?=\\d)");
  private static final Pattern SHORTENED = Pattern.compile("\\b(e\\.g|i\\.e|cf|vs|etc)\\.");
  private static final Pattern END = Pattern.compile("\\x00|(?<=[.!?])[)\"]*\\s+");
  private static final Pattern WORD = Pattern.compile("\\S*[A-Za-z0-9]\\S*");

  private CommentSentences() {}

  /** All of them, in the order of the source. */
  static List<Sentence> of(String source) {
    List<Sentence> sentences = new ArrayList<>();
    Matcher found = COMMENT.matcher(source);
    int line = 1;
    int counted = 0;
    while (found.find()) {
      String comment = found.group("comment");
      if (comment == null) {
        continue;
      }
      line += (int) source.substring(counted, found.start()).chars().filter(c -> c == '\n').count();
      counted = found.start();
      for (String text : END.split(plain(comment))) {
        int words = (int) WORD.matcher(text).results().count();
        if (words > 0) {
          sentences.add(new Sentence(line, words, text.strip().replaceAll("\\s+", " ")));
        }
      }
    }
    return sentences;
  }

  /** Without margins, drawings and tags; what begins a sentence is a zero. */
  private static String plain(String comment) {
    String body =
        comment.startsWith("/*") ? comment.substring(0, comment.length() - "*/".length()) : comment;
    String text = MARGIN.matcher(body).replaceAll("");
    text = DRAWING.matcher(text).replaceAll("\0");
    text = TAG.matcher(text).replaceAll("\0");
    text = REFERENCE.matcher(text).replaceAll("code");
    text = RULE_NUMBER.matcher(text).replaceAll("$1");
    text = PARAGRAPH.matcher(text).replaceAll("\0");
    return SHORTENED.matcher(text).replaceAll("$1");
  }
}
