package org.weft.it.guide;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program of docs/java-api.md.
 *
 * @param name of its class
 * @param source the whole file
 * @param output what the page says that it prints
 */
record GuideProgram(String name, String source, String output) {
  private static final Pattern PROGRAM =
      Pattern.compile(
          "```java\\n(.*?public final class (\\w+) .*?)```\\s+It prints\\s+```text\\n(.*?)```",
          Pattern.DOTALL);

  static List<GuideProgram> of(String page) {
    List<GuideProgram> programs = new ArrayList<>();
    Matcher matcher = PROGRAM.matcher(page);
    while (matcher.find()) {
      programs.add(new GuideProgram(matcher.group(2), matcher.group(1), matcher.group(3)));
    }
    return programs;
  }
}
