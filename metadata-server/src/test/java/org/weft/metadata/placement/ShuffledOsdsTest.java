package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;

/** OSDs in random order, drawn only as far as the list is read. */
class ShuffledOsdsTest {
  private final SplittableRandom random = new SplittableRandom(3);

  @Test
  void everyOrderIsAboutAsLikelyAsAnother() {
    Map<List<Integer>, Integer> seen = new HashMap<>();
    int rounds = 24_000;
    for (int round = 0; round < rounds; round++) {
      seen.merge(ids(shuffled(4)), 1, Integer::sum);
    }
    assertEquals(24, seen.size());
    seen.values().forEach(times -> assertEquals(1_000, times, 150));
  }

  @Test
  void shuffleHoldsEachOsdOnce() {
    assertEquals(500, new HashSet<>(ids(shuffled(500))).size());
  }

  @Test
  void placeKeepsItsOsdInAnyOrderOfLooks() {
    ShuffledOsds shuffled = shuffled(100);
    OsdCandidate atSeven = shuffled.get(7);
    List<Integer> all = ids(shuffled);
    assertEquals(atSeven, shuffled.get(7));
    assertEquals(all, ids(shuffled));
  }

  @Test
  void shuffleHasNothingBeyondItsEnd() {
    assertThrows(IndexOutOfBoundsException.class, () -> shuffled(3).get(3));
  }

  private ShuffledOsds shuffled(int osds) {
    return new ShuffledOsds(
        IntStream.rangeClosed(1, osds)
            .mapToObj(id -> new OsdCandidate(new OsdId(id), "host-" + id, true, 1))
            .toList(),
        random);
  }

  private static List<Integer> ids(List<OsdCandidate> osds) {
    return osds.stream().map(osd -> osd.osd().value()).toList();
  }
}
