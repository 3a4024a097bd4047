package org.weft.protocol.layout;

/** Chooses how wide a new file's parity groups are (P 4.1). */
public final class Width {
  private static final int SINGLE_GROUP_OSDS = 10;
  private static final int MIN_WIDTH = 8;
  private static final int MAX_WIDTH = 11;

  private Width() {}

  /**
   * k + m of a parity group in a pool of {@code osdCount} OSDs that should leave {@code spares} of
   * them out of every map. Up to 10 OSDs give one group of n − s. Larger pools take a width of 8 to
   * 11: the one with the smallest remainder that is at least s. The widest wins a tie. Where no
   * width leaves s spares, s is lowered; the smallest answer is m + 1.
   *
   * @throws IllegalArgumentException if there are fewer than m + 1 OSDs
   */
  public static int choose(int osdCount, int parityUnits, int spares) {
    int least = parityUnits + 1;
    if (osdCount < least) {
      throw new IllegalArgumentException(
          "a file with "
              + parityUnits
              + " parity units needs "
              + least
              + " OSDs, there are "
              + osdCount);
    }
    for (int left = Math.max(0, spares); left >= 0; left--) {
      int width = osdCount <= SINGLE_GROUP_OSDS ? osdCount - left : widest(osdCount, left);
      if (width >= least) {
        return width;
      }
    }
    return least;
  }

  private static int widest(int osdCount, int spares) {
    int best = 0;
    int bestRemainder = Integer.MAX_VALUE;
    for (int width = MIN_WIDTH; width <= MAX_WIDTH; width++) {
      int remainder = osdCount % width;
      if (remainder >= spares && remainder <= bestRemainder) {
        best = width;
        bestRemainder = remainder;
      }
    }
    return best;
  }
}
