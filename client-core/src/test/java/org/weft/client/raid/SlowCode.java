package org.weft.client.raid;

/**
 * The definition, byte by byte: P_j = Σ (2^j)^i · d_i with a product that multiplies polynomials.
 */
final class SlowCode {
  private static final int[][] PRODUCT = products();

  private SlowCode() {}

  private static int[][] products() {
    int[][] products = new int[256][256];
    for (int left = 0; left < 256; left++) {
      for (int right = 0; right < 256; right++) {
        products[left][right] = product(left, right);
      }
    }
    return products;
  }

  private static int product(int left, int right) {
    int sum = 0;
    for (int bit = 0; bit < 8; bit++) {
      if ((right & 1 << bit) != 0) {
        sum ^= left << bit;
      }
    }
    for (int bit = 14; bit >= 8; bit--) {
      if ((sum & 1 << bit) != 0) {
        sum ^= 0x11d << (bit - 8);
      }
    }
    return sum;
  }

  static int multiply(int left, int right) {
    return PRODUCT[left][right];
  }

  /** Units shorter than the parity count as filled up with zeros. */
  static byte[] parity(byte[][] data, int j, int lengthBytes) {
    byte[] parity = new byte[lengthBytes];
    int node = 1 << j;
    int factor = 1;
    for (byte[] unit : data) {
      for (int at = 0; at < unit.length; at++) {
        parity[at] ^= (byte) PRODUCT[factor][unit[at] & 0xff];
      }
      factor = PRODUCT[factor][node];
    }
    return parity;
  }
}
