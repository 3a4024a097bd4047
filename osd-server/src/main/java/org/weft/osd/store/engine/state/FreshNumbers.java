package org.weft.osd.store.engine.state;

import java.util.BitSet;

/**
 * Remembers which numbers were met lately, of those above all that there were before. A number that
 * was not met is certainly not there. Numbers that ascend, with gaps and late ones, are what it is
 * for; it knows the last {@value #WINDOW} of them. Not thread-safe.
 */
final class FreshNumbers {
  private static final int WINDOW = 1 << 18;

  private final BitSet met = new BitSet(WINDOW);
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
    return number > above && (number > highest || !met.get(place(number)));
  }

  /** It may be there from now on. */
  void meet(long number) {
    if (number > highest) {
      forget(highest + 1, number);
      highest = number;
      above = Math.max(above, number - WINDOW);
    }
    if (number > above) {
      met.set(place(number));
    }
  }

  /** What stood in the places of these was met one round of the window ago. */
  private void forget(long first, long last) {
    int from = place(first);
    int to = place(last) + 1;
    if (last - first >= WINDOW - 1) {
      met.clear();
    } else if (from < to) {
      met.clear(from, to);
    } else {
      met.clear(from, WINDOW);
      met.clear(0, to);
    }
  }

  private static int place(long number) {
    return (int) (number % WINDOW);
  }
}
