package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.OwnedFor;

class OwnedStripesTest {
  private static final int MAX = 20;

  private static ByteRange range(long from, long to) {
    return new ByteRange(from, to);
  }

  @Test
  void aRangeOwnedForWritingAlsoCoversReading() {
    OwnedStripes owned =
        OwnedStripes.NONE.plus(range(4, 6), RangeUse.WRITING).plus(range(0, 10), RangeUse.READING);
    assertEquals("[4 to 6]", owned.writing().toString());
    assertEquals("[0 to 4, 6 to 10]", owned.reading().toString());
    assertTrue(owned.covers(range(2, 8), RangeUse.READING));
    assertFalse(owned.covers(range(4, 7), RangeUse.WRITING));
    assertEquals(3, owned.size());
    OwnedStripes upgraded = owned.plus(range(5, 8), RangeUse.WRITING);
    assertEquals("[4 to 8]", upgraded.writing().toString());
    assertEquals("[0 to 4, 8 to 10]", upgraded.reading().toString());
    assertEquals("[8 to 10]", upgraded.minus(range(0, 8)).reading().toString());
  }

  @Test
  void anEarlierReleaseMeansWriting() {
    assertEquals(RangeUse.WRITING, RangeUse.of(OwnedFor.OWNED_FOR_UNSTATED));
    for (RangeUse use : RangeUse.values()) {
      assertEquals(use, RangeUse.of(use.toMessage()));
    }
  }

  @Test
  void noRangeIsOwnedForBoth() {
    ByteRanges some = ByteRanges.NONE.plus(range(0, 2));
    assertThrows(IllegalArgumentException.class, () -> new OwnedStripes(some, some));
  }

  /** Byte by byte. */
  @Test
  void ownedStripesAgreeWithAModel() {
    SplittableRandom random = new SplittableRandom(35);
    OwnedStripes owned = OwnedStripes.NONE;
    RangeUse[] model = new RangeUse[MAX];
    for (int step = 0; step < 5_000; step++) {
      int from = random.nextInt(MAX);
      int to = from + 1 + random.nextInt(MAX - from);
      ByteRange range = range(from, to);
      RangeUse use = random.nextBoolean() ? RangeUse.READING : RangeUse.WRITING;
      boolean covered = true;
      boolean excluded = false;
      for (int at = from; at < to; at++) {
        covered &= model[at] == RangeUse.WRITING || model[at] == use;
        excluded |= model[at] != null && model[at].excludes(use);
      }
      assertEquals(covered, owned.covers(range, use));
      assertEquals(excluded, owned.excludes(range, use));
      boolean adds = random.nextInt(3) > 0;
      owned = adds ? owned.plus(range, use) : owned.minus(range);
      for (int at = from; at < to; at++) {
        model[at] = !adds ? null : model[at] == RangeUse.WRITING ? RangeUse.WRITING : use;
      }
    }
  }
}
