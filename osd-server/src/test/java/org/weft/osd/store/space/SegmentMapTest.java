package org.weft.osd.store.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs of free blocks of one segment, beside a list of booleans that is looked through each time.
 */
class SegmentMapTest {
  private static final int ALL_RUNS = Integer.MAX_VALUE;

  private final SegmentMap map = new SegmentMap();
  private final List<Boolean> free = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void runsAreFoundWhereverTheyAreAndNowhereElse(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    grow(50);
    for (int step = 0; step < 5_000; step++) {
      int count = 1 + random.nextInt(random.nextInt(4) == 0 ? 40 : 4);
      int first = random.nextInt(free.size());
      if (random.nextInt(200) == 0 && free.size() < 400) {
        grow(free.size() + random.nextInt(60));
      } else if (random.nextInt(5) < 3) {
        take(count, random.nextBoolean() ? ALL_RUNS : 1 + random.nextInt(8));
      } else {
        giveBack(first, Math.min(count, free.size() - first));
      }
      assertEquals(free.stream().filter(each -> each).count(), map.free());
    }
  }

  private void grow(int blocks) {
    map.grow(blocks);
    while (free.size() < blocks) {
      free.add(true);
    }
  }

  /** Takes a run that the map found, if there is one; best fit if all runs may be looked at. */
  private void take(int count, int mostRuns) {
    SegmentMap.Run run = map.bestFit(count, mostRuns);
    List<SegmentMap.Run> fitting = runs().stream().filter(each -> each.count() >= count).toList();
    if (run == null) {
      assertEquals(List.of(), fitting);
      return;
    }
    assertTrue(map.mayHave(count));
    assertTrue(fitting.contains(run), () -> run + " is not of " + fitting);
    int shortest = fitting.stream().mapToInt(SegmentMap.Run::count).min().orElseThrow();
    assertTrue(mostRuns < ALL_RUNS || run.count() == shortest);
    map.take(run.first(), count);
    for (int block = run.first(); block < run.first() + count; block++) {
      free.set(block, false);
    }
  }

  private void giveBack(int first, int count) {
    for (int block = first; block < first + count; block++) {
      if (free.get(block)) {
        return;
      }
    }
    assertFalse(map.isFree(first, count));
    map.giveBack(first, count);
    for (int block = first; block < first + count; block++) {
      free.set(block, true);
    }
  }

  private List<SegmentMap.Run> runs() {
    List<SegmentMap.Run> runs = new ArrayList<>();
    int start = -1;
    for (int block = 0; block <= free.size(); block++) {
      boolean isFree = block < free.size() && free.get(block);
      if (isFree && start < 0) {
        start = block;
      } else if (!isFree && start >= 0) {
        runs.add(new SegmentMap.Run(start, block - start));
        start = -1;
      }
    }
    return runs;
  }
}
