package org.weft.client.raid;

import java.util.Arrays;

/**
 * Computes the lost data units from syndromes: unit {@code lostData[n]} is the sum over rows of
 * {@code factors[n][row]} · S. S is the sum of parity {@code parities[row]} and of what the present
 * units contribute to it. The factors are the inverse of a Vandermonde matrix with distinct nodes,
 * which exists for every choice of at most three units and parities.
 */
record Solution(int[] lostData, int[] parities, int[][] factors) {
  /**
   * Takes the lowest parities at hand: the first is a plain sum and costs no products.
   *
   * @throws IllegalArgumentException if fewer parities are at hand than data units are lost
   */
  static Solution of(int dataUnits, UnitBytes[] data, UnitBytes[] parity) {
    int[] lost = new int[dataUnits];
    int lostCount = 0;
    for (int i = 0; i < dataUnits; i++) {
      if (data[i] == null) {
        lost[lostCount++] = i;
      }
    }
    int[] used = new int[parity.length];
    int usedCount = 0;
    for (int j = 0; j < parity.length && usedCount < lostCount; j++) {
      if (parity[j] != null) {
        used[usedCount++] = j;
      }
    }
    if (usedCount < lostCount) {
      throw new IllegalArgumentException(
          lostCount + " data units are lost and only " + usedCount + " parities are at hand");
    }
    int[][] matrix = new int[lostCount][lostCount];
    for (int row = 0; row < lostCount; row++) {
      for (int column = 0; column < lostCount; column++) {
        matrix[row][column] = Gf256.powerOfTwo(used[row] * lost[column]);
      }
    }
    return new Solution(
        Arrays.copyOf(lost, lostCount), Arrays.copyOf(used, usedCount), Gf256.invert(matrix));
  }

  int highestParity() {
    return parities[parities.length - 1];
  }
}
