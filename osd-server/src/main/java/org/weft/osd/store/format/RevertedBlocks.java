package org.weft.osd.store.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Blocks of an object that hold older bytes than what was written there last. A power loss took the
 * last bytes, and gave the ones before them back (P 5.9). Never more than {@value #MAX_RANGES}
 * ranges: where there would be, they are widened, and name blocks that lost nothing, too.
 * Immutable.
 *
 * @param ranges end by first block; they do not touch each other
 */
public record RevertedBlocks(SortedMap<Long, Long> ranges) {
  /** So many fit into a value and an answer of any kind. */
  public static final int MAX_RANGES = 1_024;

  public static final RevertedBlocks NONE = new RevertedBlocks(new TreeMap<>());

  public RevertedBlocks {
    ranges = Collections.unmodifiableSortedMap(new TreeMap<>(ranges));
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** With these blocks, too. */
  public RevertedBlocks with(Iterable<Long> blocks) {
    SortedMap<Long, Long> more = new TreeMap<>(ranges);
    blocks.forEach(block -> more.merge(block, block + 1, Math::max));
    List<long[]> joined = joined(more, 1);
    for (long grain = 2; joined.size() > MAX_RANGES; grain *= 2) {
      joined = joined(more, grain);
    }
    SortedMap<Long, Long> next = new TreeMap<>();
    joined.forEach(range -> next.put(range[0], range[1]));
    return new RevertedBlocks(next);
  }

  /** In pieces of so many blocks; those that touch are one. */
  private static List<long[]> joined(SortedMap<Long, Long> ranges, long grain) {
    List<long[]> joined = new ArrayList<>();
    for (var range : ranges.entrySet()) {
      long first = range.getKey() / grain * grain;
      long end = (range.getValue() + grain - 1) / grain * grain;
      long[] last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && last[1] >= first) {
        last[1] = Math.max(last[1], end);
      } else {
        joined.add(new long[] {first, end});
      }
    }
    return joined;
  }
}
