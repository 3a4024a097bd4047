package org.weft.cli.config;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.weft.cli.output.TimeLetter;

/** Times as people write them: a whole number with s, m or h. */
final class Duration {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([smh])");

  private Duration() {}

  /**
   * In milliseconds; empty for {@code off}.
   *
   * @param key named if it is none
   */
  static OptionalLong parseMillis(String key, String text) {
    if (text.equals("off")) {
      return OptionalLong.empty();
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new ConfigException(
          key + " must be a time like 90s, 10m or 2h, or off; got '" + text + "'");
    }
    TimeUnit unit = TimeLetter.unit(form.group(2).charAt(0));
    return OptionalLong.of(unit.toMillis(Long.parseLong(form.group(1))));
  }
}
