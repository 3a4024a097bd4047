package org.weft.osd.store.engine;

/**
 * Which numbers were met lately, of those above all that there were before: of what was not met it
 * is certain that it is not there. Numbers that ascend, with gaps and late ones, are what it is
 * for; it knows the last {@value #WINDOW} of them. Not thread-safe.
 */
final class FreshNumbers {
  private static final int WINDOW = 1 << 18;

  private final long[] met = new long[WINDOW / Long.SIZE];
  private long above;
  private long highest;

  /**
   * @param highest nothing is there above it, of numbers that are not negative
   */
  FreshNumbers(long highest) {
    this.above = highest;
    this.highest = highest;
  }

  /** True if the number is certain not to be there. */
  boolean isFresh(long number) {
    return number > above
        && (number > highest || (met[word(number)] & (1L << number % Long.SIZE)) == 0);
  }

  /** It may be there from now on. */
  void meet(long number) {
    if (number > highest) {
      forget(highest + 1, number);
      highest = number;
      above = Math.max(above, number - WINDOW);
    }
    if (number > above) {
      met[word(number)] |= 1L << number % Long.SIZE;
    }
  }

  /** What stood in the places of these was met one round of the window ago. */
  private void forget(long first, long last) {
    if (last - first >= WINDOW - 1) {
      java.util.Arrays.fill(met, 0);
      return;
    }
    for (long number = first; number <= last; number++) {
      met[word(number)] &= ~(1L << number % Long.SIZE);
    }
  }

  private static int word(long number) {
    return (int) (number / Long.SIZE % (WINDOW / Long.SIZE));
  }
}
