package org.weft.osd.store.engine.state;

import java.util.BitSet;

/**
 * Tells whether a number comes a second time. Most files are made, changed once and left alone, and
 * to remember them all would keep the heap busy for nothing. It forgets everything once it has met
 * {@value #MAX}; some are taken for others. Not thread-safe.
 */
final class Doorkeeper {
  private static final int PLACES = 1 << 17;
  private static final int MAX = PLACES / 4;

  private final BitSet met = new BitSet(PLACES);
  private int count;

  /** True if it has met the number lately, or one that looks like it. */
  boolean meetsAgain(long number) {
    int place = (int) (number & (PLACES - 1));
    if (met.get(place)) {
      return true;
    }
    if (count == MAX) {
      met.clear();
      count = 0;
    }
    met.set(place);
    count++;
    return false;
  }
}
