package org.weft.osd.store.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtentPageTest {
  /** What a block holds, by the rules of the one who wrote it. */
  private record Held(long grant, long sequence, int segmentBlock, int crc) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aPageHoldsTheLastExtentPutOverEachBlock(long seed) throws FormatException {
    RandomGenerator random = new SplittableRandom(seed);
    long number = random.nextLong(1000);
    Held[] model = new Held[ExtentPage.BLOCKS];
    ExtentPage page = ExtentPage.empty(number);
    for (int step = 0; step < 500; step++) {
      int first = random.nextInt(ExtentPage.BLOCKS);
      int limit = random.nextInt(5) == 0 ? ExtentPage.BLOCKS : 12;
      int count = 1 + random.nextInt(Math.min(limit, ExtentPage.BLOCKS - first));
      int stride = random.nextBoolean() ? 0 : 1 + random.nextInt(8);
      int[] crcs = random.ints(count).toArray();
      Extent extent =
          new Extent(page.firstBlock() + first, 0, 0, step, 1000, stride, 0, step * 200, crcs);
      for (int i = 0; i < count; i++) {
        long block = page.firstBlock() + first + i;
        long sequence = stride == 0 ? 1000 : 1000 + block / stride - extent.firstBlock() / stride;
        model[first + i] = new Held(step, sequence, step * 200 + i, crcs[i]);
      }
      page = page.with(extent);
      if (step % 10 == 0) {
        page = ExtentPageCodec.decode(number, ExtentPageCodec.encode(page));
      }
      check(page, model);
      checkRange(page, model, random);
    }
  }

  private static void check(ExtentPage page, Held[] model) {
    int stored = 0;
    for (int i = 0; i < model.length; i++) {
      Extent extent = page.at(page.firstBlock() + i);
      if (model[i] == null) {
        assertNull(extent);
      } else {
        stored++;
        assertEquals(model[i], held(extent, page.firstBlock() + i));
      }
    }
    assertEquals(stored, page.storedBlocks());
  }

  private static void checkRange(ExtentPage page, Held[] model, RandomGenerator random) {
    int from = random.nextInt(ExtentPage.BLOCKS);
    int to = from + random.nextInt(ExtentPage.BLOCKS - from + 1);
    List<Held> expected = new ArrayList<>();
    for (int i = from; i < to; i++) {
      if (model[i] != null) {
        expected.add(model[i]);
      }
    }
    List<Held> found = new ArrayList<>();
    long reached = page.firstBlock() + from;
    for (Extent part : page.within(page.firstBlock() + from, page.firstBlock() + to)) {
      assertTrue(part.firstBlock() >= reached);
      reached = part.endBlock();
      for (long block = part.firstBlock(); block < part.endBlock(); block++) {
        found.add(held(part, block));
      }
    }
    assertEquals(expected, found);
  }

  private static Held held(Extent extent, long block) {
    int place = (int) (block - extent.firstBlock());
    return new Held(
        extent.grant(),
        extent.sequenceAt(block),
        extent.segmentBlock() + place,
        extent.crcs()[place]);
  }
}
