package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** P 4.1: how wide a parity group is in a pool of so many OSDs. */
class WidthTest {
  @ParameterizedTest(name = "{0} OSDs, m={1}, s={2}: {3}")
  @CsvSource({
    "6, 1, 1, 5",
    "10, 1, 1, 9",
    "80, 1, 1, 11",
    // Ties take the widest: 73 leaves 1 over 8 and over 9.
    "73, 1, 1, 9",
    "11, 1, 1, 10",
    "12, 2, 1, 11",
    "12, 2, 2, 10",
    // Where no width leaves the spares, fewer are left.
    "2, 1, 1, 2",
    "3, 2, 1, 3",
    "4, 2, 3, 3",
    "1, 0, 1, 1",
    // Only with no spare at all does any width fit.
    "88, 1, 9, 10"
  })
  void examplesGetTheirExpectedWidth(int osds, int parity, int spares, int width) {
    assertEquals(width, Width.choose(osds, parity, spares));
  }

  @Test
  void tooFewOsdsAreRefusedWithTheNumbers() {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> Width.choose(2, 2, 0));
    assertTrue(refusal.getMessage().contains("needs 3 OSDs, there are 2"));
  }

  @Test
  void everyPoolHasAWidthThatFits() {
    for (int parity = 0; parity <= 3; parity++) {
      for (int osds = parity + 1; osds <= 300; osds++) {
        for (int spares = 0; spares <= 4; spares++) {
          int width = Width.choose(osds, parity, spares);
          assertTrue(width >= parity + 1 && width <= Math.min(osds, 11));
          boolean possible = osds <= 10 ? osds - spares >= parity + 1 : osds > 14;
          if (possible) {
            assertTrue(
                osds % width >= spares || osds <= 10 || !anyWidthLeaves(osds, spares),
                osds + " OSDs, width " + width + ", " + spares + " spares");
          }
        }
      }
    }
  }

  private static boolean anyWidthLeaves(int osds, int spares) {
    for (int width = 8; width <= 11; width++) {
      if (osds % width >= spares) {
        return true;
      }
    }
    return false;
  }
}
