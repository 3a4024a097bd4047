package org.weft.cli.output;

import java.util.concurrent.TimeUnit;

/** The letter behind a number of seconds, minutes, hours or days, as people write times. */
public final class TimeLetter {
  private TimeLetter() {}

  /**
   * @throws IllegalArgumentException if it is none of s, m, h and d
   */
  public static TimeUnit unit(char letter) {
    return switch (letter) {
      case 's' -> TimeUnit.SECONDS;
      case 'm' -> TimeUnit.MINUTES;
      case 'h' -> TimeUnit.HOURS;
      case 'd' -> TimeUnit.DAYS;
      default -> throw new IllegalArgumentException("no unit of time: " + letter);
    };
  }
}
