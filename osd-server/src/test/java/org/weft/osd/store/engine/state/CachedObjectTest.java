package org.weft.osd.store.engine.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.value.ObjectTag;

class CachedObjectTest {
  private static final int MAX_BYTES = 64 << 10;
  private static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, 64 << 10, 1, 2000);

  private final CachedObject object = new CachedObject(ObjectRecord.created(1, TAG), MAX_BYTES);

  /** A page that is wholly stored. */
  private static ExtentPage page(long number) {
    return new ExtentPage(
        number,
        List.of(
            new Extent(
                number * ExtentPage.BLOCKS, 1, 1, 1, 1, 0, 1, 0, new int[ExtentPage.BLOCKS])));
  }

  @Test
  void aLongComponentKeepsAsManyPagesAsThereIsRoomFor() {
    int seen = 0;
    for (long number = 0; number < 10_000; number++) {
      object.add(Map.of(number, page(number)), null);
      assertNotNull(object.page(number), "what was just looked up");
      assertTrue(object.weightBytes() <= MAX_BYTES + 2_048, object.weightBytes() + " bytes");
    }
    for (long number = 0; number < 10_000; number++) {
      seen += object.page(number) == null ? 0 : 1;
    }
    assertTrue(seen >= 64, seen + " pages");
  }

  @Test
  void theWeightIsThatOfThePagesThatAreThere() {
    int empty = object.weightBytes();
    ExtentPage first = page(7);
    object.add(Map.of(7L, first), null);
    int one = object.weightBytes();
    object.add(Map.of(7L, page(7)), null);
    assertEquals(one, object.weightBytes());
    assertSame(first, object.page(7));
    LongStream.range(8, 12).forEach(number -> object.add(Map.of(number, page(number)), null));
    assertEquals(empty + 5 * (one - empty), object.weightBytes());
  }
}
