package org.weft.osd.store.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which blocks a power loss gave back, however many. */
class RevertedBlocksFormatTest {
  @Test
  void neighboursAreOneRange() {
    RevertedBlocks given = RevertedBlocks.NONE.with(List.of(7L, 3L)).with(List.of(4L, 8L, 3L));
    assertEquals(new TreeMap<>(SortedMapOf.of(3, 5, 7, 9)), given.ranges());
  }

  @Test
  void moreRangesThanFitAreWidenedAndNoneIsForgotten() {
    List<Long> blocks = LongStream.range(0, 5_000).map(n -> n * 1_000 + n % 7).boxed().toList();
    RevertedBlocks given = RevertedBlocks.NONE.with(blocks);
    assertTrue(given.ranges().size() <= RevertedBlocks.MAX_RANGES);
    for (long block : blocks) {
      SortedMap<Long, Long> upTo = given.ranges().headMap(block + 1);
      assertTrue(upTo.get(upTo.lastKey()) > block);
    }
    long named =
        given.ranges().entrySet().stream()
            .mapToLong(range -> range.getValue() - range.getKey())
            .sum();
    assertTrue(named < 5_000L * 1_100, "no more than it takes");
  }

  /** Ranges as a test writes them. */
  private static final class SortedMapOf {
    private static SortedMap<Long, Long> of(long first, long end, long next, long nextEnd) {
      SortedMap<Long, Long> ranges = new TreeMap<>();
      ranges.put(first, end);
      ranges.put(next, nextEnd);
      return ranges;
    }
  }
}
