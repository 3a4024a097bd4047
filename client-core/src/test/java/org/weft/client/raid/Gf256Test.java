package org.weft.client.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class Gf256Test {
  @Test
  void productsAgreeWithThoseOfPolynomials() {
    for (int left = 0; left < 256; left++) {
      for (int right = 0; right < 256; right++) {
        assertEquals(SlowCode.multiply(left, right), Gf256.multiply(left, right));
      }
    }
  }

  @Test
  void everythingButZeroHasAnInverse() {
    for (int value = 1; value < 256; value++) {
      assertEquals(1, Gf256.multiply(value, Gf256.inverse(value)));
    }
    assertThrows(ArithmeticException.class, () -> Gf256.inverse(0));
  }

  @Test
  void powersOfTwoRunThroughEverythingButZero() {
    assertEquals(
        255, java.util.stream.IntStream.range(0, 255).map(Gf256::powerOfTwo).distinct().count());
    assertEquals(Gf256.powerOfTwo(3), Gf256.powerOfTwo(258));
  }
}
