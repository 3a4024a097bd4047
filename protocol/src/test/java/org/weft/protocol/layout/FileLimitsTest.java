package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** A legal file length never makes an illegal component offset (P 4.3). */
class FileLimitsTest {
  private static List<Layout> layouts() {
    List<Layout> layouts = new ArrayList<>();
    layouts.add(Layout.of(1, 0));
    layouts.add(Layout.of(1, 3));
    layouts.add(Layout.of(4, 1));
    layouts.add(new Layout(1, 2, Layout.MAX_UNIT_BYTES, Integer.MAX_VALUE, 1));
    layouts.add(new Layout(255, 3, Layout.MAX_UNIT_BYTES, 1, Layout.MAX_GROUPS));
    layouts.add(new Layout(1, 1, 3 * Layout.BLOCK_BYTES, 7, 5));
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 2_000; i++) {
      layouts.add(
          new Layout(
              random.nextInt(1, Layout.MAX_DATA_UNITS + 1),
              random.nextInt(Layout.MAX_PARITY_UNITS + 1),
              random.nextInt(1, Layout.MAX_UNIT_BYTES / Layout.BLOCK_BYTES + 1)
                  * Layout.BLOCK_BYTES,
              random.nextInt(1, 100_000),
              random.nextInt(1, Layout.MAX_GROUPS + 1)));
    }
    return layouts;
  }

  @Test
  void theLastStripeOfTheLongestFileLiesInsideEveryComponent() {
    for (Layout layout : layouts()) {
      long last = layout.stripeOf(FileLimits.MAX_FILE_BYTES - 1);
      // The groups are filled in turns: the stripes before the last one end further in some.
      for (long back = 0; back < 3L * layout.groups(); back++) {
        long stripe = last - back * layout.groupDepth();
        if (stripe >= 0) {
          long endBytes = layout.componentOffsetBytes(stripe) + layout.unitBytes();
          assertTrue(endBytes > 0 && endBytes <= FileLimits.MAX_COMPONENT_BYTES, layout::toString);
        }
      }
    }
  }

  @Test
  void aLengthIsLegalUpToTheLimitAndNotBeyond() {
    assertTrue(FileLimits.isFileLength(0));
    assertTrue(FileLimits.isFileLength(FileLimits.MAX_FILE_BYTES));
    assertFalse(FileLimits.isFileLength(-1));
    assertFalse(FileLimits.isFileLength(FileLimits.MAX_FILE_BYTES + 1));
    assertDoesNotThrow(() -> FileLimits.requireFileLength("a length", FileLimits.MAX_FILE_BYTES));
  }

  @Test
  void aRefusalNamesTheLimitAndTheValue() {
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> FileLimits.requireFileLength("a length", Long.MAX_VALUE));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertEquals(
        "a length must be 0..1152921504606846976 bytes, got 9223372036854775807",
        refusal.getMessage());
  }
}
