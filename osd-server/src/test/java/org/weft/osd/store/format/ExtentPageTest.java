package org.weft.osd.store.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtentPageTest {
  /** What a block holds, by the rules of its writer. */
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

  private static Extent any(long firstBlock, int blocks, RandomGenerator random) {
    boolean usual = random.nextInt(4) > 0;
    return new Extent(
        firstBlock,
        usual ? 0 : Extent.LOST,
        usual ? 0 : random.nextInt(),
        usual ? 7 : random.nextLong(),
        usual ? random.nextInt(100) : random.nextLong(),
        usual ? 0 : random.nextInt(1 << 16),
        usual ? 1 : random.nextInt(1 << 31 - 1),
        usual ? random.nextInt(1000) : random.nextInt() & Integer.MAX_VALUE,
        random.ints(blocks).toArray());
  }

  private static String fieldsOf(ExtentPage page) {
    StringBuilder all = new StringBuilder();
    for (Extent extent : page.extents()) {
      all.append(extent.asStored().equals(extent) ? "" : "noted ");
      all.append(extent.firstBlock()).append(' ').append(extent.flags()).append(' ');
      all.append(extent.snapshot()).append(' ').append(extent.grant()).append(' ');
      all.append(extent.sequence()).append(' ').append(extent.strideBlocks()).append(' ');
      all.append(extent.segment()).append(' ').append(extent.segmentBlock()).append(' ');
      all.append(Arrays.toString(extent.crcs())).append('\n');
    }
    return all.toString();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void aStoredPageDecodesToItself(long seed) throws FormatException {
    RandomGenerator random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      long number = random.nextLong(1L << 40);
      List<Extent> extents = new ArrayList<>();
      int block = random.nextInt(3);
      while (block < ExtentPage.BLOCKS) {
        int blocks = 1 + random.nextInt(random.nextInt(5) == 0 ? ExtentPage.BLOCKS - block : 1);
        extents.add(any(number * ExtentPage.BLOCKS + block, blocks, random));
        block += blocks + random.nextInt(2);
      }
      ExtentPage page = new ExtentPage(number, extents);
      byte[] stored = ExtentPageCodec.encode(page);
      assertEquals(fieldsOf(page), fieldsOf(ExtentPageCodec.decode(number, stored)));
      byte[] longer = Arrays.copyOf(stored, stored.length + 1);
      assertThrows(FormatException.class, () -> ExtentPageCodec.decode(number, longer));
      byte[] shorter = Arrays.copyOf(stored, random.nextInt(stored.length));
      assertThrows(FormatException.class, () -> ExtentPageCodec.decode(number, shorter));
    }
  }

  @Test
  void damagedPagesAreRefusedOrReadAsSomethingInBounds() {
    RandomGenerator random = new SplittableRandom(21);
    for (int round = 0; round < 20_000; round++) {
      byte[] value = new byte[2 + random.nextInt(60)];
      random.nextBytes(value);
      value[0] = (byte) (1 + round % 2);
      value[1] &= 7;
      try {
        for (Extent extent : ExtentPageCodec.decode(3, value).extents()) {
          assertTrue(extent.firstBlock() >= 3 * ExtentPage.BLOCKS);
          assertTrue(extent.endBlock() <= 4 * ExtentPage.BLOCKS);
          assertTrue(extent.segment() >= 0 && extent.segmentBlock() >= 0);
        }
      } catch (FormatException e) {
        assertTrue(e.getMessage().length() > 10, e.getMessage());
      }
    }
  }

  @Test
  void blocksThatWereAppendedToOneAfterAnotherTakeSevenBytesEach() {
    ExtentPage page = ExtentPage.empty(0);
    for (int record = 0; record < 4 * ExtentPage.BLOCKS; record++) {
      page =
          page.with(new Extent(record / 4, 0, 0, 1L << 40, 20 + record, 0, 2, record, new int[1]));
    }
    assertEquals(ExtentPage.BLOCKS, page.extents().size());
    int about = ExtentPageCodec.encode(page).length / ExtentPage.BLOCKS;
    assertEquals(7, about);
  }
}
