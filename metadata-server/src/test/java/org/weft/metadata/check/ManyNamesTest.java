package org.weft.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.metadata.check.OsdHoldings.Listed;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** What bounds the memory of a check. */
class ManyNamesTest {
  private static ObjectId object(long value) {
    return new ObjectId(value);
  }

  @Test
  void nodesThatDoNotFitAreCountedInLaterPasses() {
    ManyNames names = new ManyNames(3);
    SortedMap<ObjectId, Integer> counted = new TreeMap<>();
    int passes = 0;
    do {
      passes++;
      // In whatever order directories name them.
      for (long value : new long[] {9, 2, 7, 1, 8, 3, 2, 6}) {
        names.named(object(value), 1);
      }
      names.saw(object(5));
      names.counted().forEach(each -> counted.put(each, names.count(each)));
      assertTrue(names.counted().size() <= 3, "no more at a time");
    } while (names.next());
    assertEquals(3, passes);
    assertEquals(
        List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L, 9L),
        counted.keySet().stream().map(ObjectId::value).toList());
    assertEquals(2, counted.get(object(2)));
    assertEquals(0, counted.get(object(5)), "it has no name at all");
  }

  @Test
  void changedNodeIsCountedAgain() {
    ManyNames names = new ManyNames(3);
    names.named(object(1), 2);
    names.again(List.of(object(1)));
    names.named(object(1), 1);
    assertEquals(1, names.count(object(1)));
    assertFalse(names.next());
  }

  @Test
  void windowEndsAtTheShortestListing() {
    SortedMap<OsdId, Listed> listed = new TreeMap<>();
    listed.put(new OsdId(1), new Listed(List.of(object(1), object(4), object(6)), true));
    listed.put(new OsdId(2), new Listed(List.of(object(2), object(4), object(9)), true));
    listed.put(new OsdId(3), new Listed(List.of(object(7)), false));
    ObjectWindow window = ObjectWindow.merge(listed, object(0));
    assertEquals(List.of(1L, 2L, 4L, 6L), window.objects().stream().map(ObjectId::value).toList());
    assertEquals(List.of(object(2), object(4)), window.byOsd().get(new OsdId(2)));
    assertEquals(object(6), window.last());
    assertTrue(window.more());
  }

  @Test
  void theLastWindowHasAllThatIsLeft() {
    SortedMap<OsdId, Listed> listed = new TreeMap<>();
    listed.put(new OsdId(1), new Listed(List.of(object(8)), false));
    listed.put(new OsdId(2), new Listed(List.of(), false));
    ObjectWindow window = ObjectWindow.merge(listed, object(7));
    assertEquals(object(8), window.last());
    assertFalse(window.more());
  }
}
