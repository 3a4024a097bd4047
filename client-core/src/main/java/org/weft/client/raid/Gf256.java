package org.weft.client.raid;

/**
 * Arithmetic of GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d), in which 2 generates every
 * element but zero. For coefficients only: bulk data goes through {@link BlockKernels}.
 */
final class Gf256 {
  /** Number of elements that are not zero: the order of the generator. */
  static final int ORDER = 255;

  private static final int POLYNOMIAL = 0x11d;
  private static final int[] POWER = new int[ORDER];
  private static final int[] LOGARITHM = new int[ORDER + 1];

  static {
    int value = 1;
    for (int exponent = 0; exponent < ORDER; exponent++) {
      POWER[exponent] = value;
      LOGARITHM[value] = exponent;
      value <<= 1;
      if (value > ORDER) {
        value ^= POLYNOMIAL;
      }
    }
  }

  private Gf256() {}

  /** 2 to that power. */
  static int powerOfTwo(int exponent) {
    return POWER[exponent % ORDER];
  }

  static int multiply(int left, int right) {
    return left == 0 || right == 0 ? 0 : POWER[(LOGARITHM[left] + LOGARITHM[right]) % ORDER];
  }

  static int inverse(int value) {
    if (value == 0) {
      throw new ArithmeticException("zero has no inverse in GF(2^8)");
    }
    return POWER[(ORDER - LOGARITHM[value]) % ORDER];
  }

  /** Inverts a regular square matrix by elimination. */
  static int[][] invert(int[][] matrix) {
    int size = matrix.length;
    int[][] work = new int[size][2 * size];
    for (int row = 0; row < size; row++) {
      System.arraycopy(matrix[row], 0, work[row], 0, size);
      work[row][size + row] = 1;
    }
    for (int column = 0; column < size; column++) {
      int pivot = column;
      while (work[pivot][column] == 0) {
        pivot++;
      }
      int[] pivotRow = work[pivot];
      work[pivot] = work[column];
      work[column] = pivotRow;
      scale(pivotRow, inverse(pivotRow[column]));
      for (int row = 0; row < size; row++) {
        if (row != column) {
          addScaled(work[row], pivotRow, work[row][column]);
        }
      }
    }
    int[][] inverted = new int[size][size];
    for (int row = 0; row < size; row++) {
      System.arraycopy(work[row], size, inverted[row], 0, size);
    }
    return inverted;
  }

  private static void scale(int[] row, int factor) {
    for (int i = 0; i < row.length; i++) {
      row[i] = multiply(row[i], factor);
    }
  }

  private static void addScaled(int[] row, int[] other, int factor) {
    for (int i = 0; i < row.length; i++) {
      row[i] ^= multiply(other[i], factor);
    }
  }
}
