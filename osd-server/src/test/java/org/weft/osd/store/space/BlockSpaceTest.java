package org.weft.osd.store.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockSpaceTest {
  private static final int SEGMENT_BLOCKS = 4096;

  private static BlockSpace space(int segments) {
    BlockSpace space = new BlockSpace((long) segments * SEGMENT_BLOCKS);
    for (int i = 0; i < segments; i++) {
      space.grow(i, SEGMENT_BLOCKS);
    }
    return space;
  }

  private static Allocation allocate(BlockSpace space, String stream, long first, int count) {
    return space.allocate(new Demand(stream, first, count, 0));
  }

  /** Nothing is given twice, nothing is lost, and figures are exact, whatever happens. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void everyBlockIsFreeOrGivenOnce(long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    BlockSpace space = new BlockSpace(3L * SEGMENT_BLOCKS);
    space.grow(0, 64);
    List<BitSet> given = List.of(new BitSet(), new BitSet(), new BitSet());
    List<BlockRange> held = new ArrayList<>();
    int[] grown = {64, 0, 0};
    long[] position = new long[5];
    for (int step = 0; step < 20_000; step++) {
      int choice = random.nextInt(100);
      if (choice < 60) {
        int stream = random.nextInt(5);
        int count = 1 + (random.nextInt(4) == 0 ? random.nextInt(300) : random.nextInt(16));
        long first = random.nextInt(4) == 0 ? random.nextLong(10_000) : position[stream];
        position[stream] = first + count;
        long leave = random.nextInt(3) == 0 ? random.nextInt(2000) : 0;
        long free = space.freeBlocks();
        Allocation allocation = space.allocate(new Demand("stream " + stream, first, count, leave));
        check(allocation, count, leave, free, grown, given, held);
        if (allocation.verdict() == Allocation.Verdict.GROW) {
          grow(space, grown, random);
        }
      } else if (choice < 97 && !held.isEmpty()) {
        free(space, held.remove(random.nextInt(held.size())), random, given, held);
      } else if (choice == 98) {
        space.closeIdleStreams();
      }
      long used = given.stream().mapToLong(BitSet::cardinality).sum();
      assertEquals(used, space.usedBlocks());
    }
    space.usedBits().forEach((segment, bits) -> assertEquals(given.get(segment), bits));
  }

  private static void check(
      Allocation allocation,
      int count,
      long leave,
      long free,
      int[] grown,
      List<BitSet> given,
      List<BlockRange> held) {
    boolean room = free - count >= leave;
    if (allocation.verdict() != Allocation.Verdict.GRANTED) {
      boolean canGrow = grown[2] < SEGMENT_BLOCKS;
      assertEquals(
          room && canGrow ? Allocation.Verdict.GROW : Allocation.Verdict.FULL,
          allocation.verdict());
      assertTrue(canGrow || !room, "refused although " + free + " blocks are free");
      return;
    }
    assertTrue(room);
    int sum = 0;
    for (BlockRange range : allocation.ranges()) {
      BitSet bits = given.get(range.segment());
      assertTrue(range.endBlock() <= grown[range.segment()]);
      int taken = bits.nextSetBit(range.firstBlock());
      assertTrue(taken < 0 || taken >= range.endBlock(), "a block is given twice: " + range);
      bits.set(range.firstBlock(), range.endBlock());
      held.add(range);
      sum += range.blockCount();
    }
    assertEquals(count, sum);
  }

  private static void grow(BlockSpace space, int[] grown, RandomGenerator random) {
    int segment = grown[0] < SEGMENT_BLOCKS ? 0 : grown[1] < SEGMENT_BLOCKS ? 1 : 2;
    grown[segment] = Math.min(SEGMENT_BLOCKS, grown[segment] + 1 + random.nextInt(2000));
    space.grow(segment, grown[segment]);
  }

  /** Sometimes only a part, as an overwrite does. */
  private static void free(
      BlockSpace space,
      BlockRange range,
      RandomGenerator random,
      List<BitSet> given,
      List<BlockRange> held) {
    BlockRange part = range;
    if (range.blockCount() > 1 && random.nextBoolean()) {
      int first = random.nextInt(range.blockCount() - 1);
      part = new BlockRange(range.segment(), range.firstBlock(), first + 1);
      held.add(
          new BlockRange(range.segment(), part.endBlock(), range.blockCount() - part.blockCount()));
    }
    space.free(part);
    given.get(part.segment()).clear(part.firstBlock(), part.endBlock());
  }

  @Test
  void theShortestRunThatFitsIsTaken() {
    BlockSpace space = space(1);
    BlockRange all = allocate(space, "a", 0, SEGMENT_BLOCKS).ranges().get(0);
    assertEquals(SEGMENT_BLOCKS, all.blockCount());
    for (int[] run : new int[][] {{100, 20}, {200, 12}, {300, 10}, {400, 50}}) {
      space.free(new BlockRange(0, run[0], run[1]));
    }
    assertEquals(new BlockRange(0, 200, 11), allocate(space, "b", 0, 11).ranges().get(0));
    assertEquals(new BlockRange(0, 300, 10), allocate(space, "b", 0, 10).ranges().get(0));
    assertEquals(new BlockRange(0, 100, 13), allocate(space, "b", 0, 13).ranges().get(0));
    assertEquals(3, allocate(space, "c", 0, 58).ranges().size());
    assertEquals(Allocation.Verdict.FULL, allocate(space, "d", 0, 1).verdict());
  }

  @Test
  void aFittingRunIsFoundBehindManyShortPieces() {
    BlockSpace space = new BlockSpace(2L * SEGMENT_BLOCKS);
    space.grow(0, SEGMENT_BLOCKS);
    assertTrue(space.markUsed(new BlockRange(0, 0, SEGMENT_BLOCKS)));
    for (int hole = 0; hole < 100; hole++) {
      space.free(new BlockRange(0, 2 * hole, 1));
    }
    space.free(new BlockRange(0, 500, 3));
    assertEquals(List.of(new BlockRange(0, 500, 2)), allocate(space, "a", 0, 2).ranges());
    // What lies in front is found again when it is free again.
    space.free(new BlockRange(0, 201, 2));
    assertEquals(List.of(new BlockRange(0, 201, 2)), allocate(space, "b", 0, 2).ranges());
    assertEquals(Allocation.Verdict.GROW, allocate(space, "c", 0, 2).verdict());
  }

  @Test
  void streamsWrittenSideBySideLieInOnePieceEach() {
    BlockSpace space = space(16);
    RandomGenerator random = new SplittableRandom(5);
    List<List<BlockRange>> runs = List.of(new ArrayList<>(), new ArrayList<>());
    // Runs of two streams take turns, and some arrive before the one in front of them.
    for (int i = 0; i < 40; i += 2) {
      for (int stream = 0; stream < 2; stream++) {
        boolean swapped = i > 0 && random.nextBoolean();
        for (int k : swapped ? new int[] {i + 1, i} : new int[] {i, i + 1}) {
          runs.get(stream).addAll(allocate(space, "stream " + stream, k * 256L, 256).ranges());
        }
      }
    }
    for (List<BlockRange> stream : runs) {
      stream.sort(
          (a, b) ->
              a.segment() != b.segment()
                  ? Integer.compare(a.segment(), b.segment())
                  : Integer.compare(a.firstBlock(), b.firstBlock()));
      int pieces = 1;
      for (int i = 1; i < stream.size(); i++) {
        boolean next =
            stream.get(i).segment() == stream.get(i - 1).segment()
                && stream.get(i).firstBlock() == stream.get(i - 1).endBlock();
        pieces += next ? 0 : 1;
      }
      assertTrue(pieces <= 8, pieces + " pieces for 40 runs");
    }
  }

  @Test
  void smallDemandsArePackedWithoutGaps() {
    BlockSpace space = space(1);
    for (int i = 0; i < 100; i++) {
      assertEquals(
          List.of(new BlockRange(0, 16 * i, 16)), allocate(space, "file " + i, 0, 16).ranges());
    }
  }

  @Test
  void windowsGiveWayWhenSpaceIsShort() {
    BlockSpace space = space(1);
    assertEquals(1, allocate(space, "a", 0, 128).ranges().size());
    assertEquals(SEGMENT_BLOCKS - 128, space.freeBlocks());
    int sum = 0;
    for (BlockRange range : allocate(space, "b", 0, SEGMENT_BLOCKS - 128).ranges()) {
      sum += range.blockCount();
    }
    assertEquals(SEGMENT_BLOCKS - 128, sum);
    assertEquals(0, space.freeBlocks());
  }

  @Test
  void aDemandLeavesTheReserve() {
    BlockSpace space = space(1);
    assertEquals(
        Allocation.Verdict.FULL,
        space.allocate(new Demand("a", 0, SEGMENT_BLOCKS - 99, 100)).verdict());
    assertEquals(
        Allocation.Verdict.GRANTED,
        space.allocate(new Demand("a", 0, SEGMENT_BLOCKS - 100, 100)).verdict());
  }

  @Test
  void blocksAreNotMarkedTwice() {
    BlockSpace space = space(1);
    assertTrue(space.markUsed(new BlockRange(0, 10, 10)));
    assertFalse(space.markUsed(new BlockRange(0, 19, 10)));
    assertFalse(space.markUsed(new BlockRange(0, SEGMENT_BLOCKS - 1, 2)));
    assertFalse(space.markUsed(new BlockRange(1, 0, 1)));
    assertEquals(10, space.usedBlocks());
  }

  /** Half of the capacity is not there: what is there is used to the last block, in pieces. */
  @Test
  void aFullDiskIsUsedCompletelyExceptTheReserve() {
    BlockSpace space = new BlockSpace(2L * SEGMENT_BLOCKS);
    space.grow(0, SEGMENT_BLOCKS);
    List<BlockRange> held = new ArrayList<>();
    for (int i = 0; i < SEGMENT_BLOCKS / 8; i++) {
      held.addAll(allocate(space, "s" + i, 0, 8).ranges());
    }
    for (int i = 0; i < held.size(); i += 2) {
      space.free(held.get(i));
    }
    assertEquals(Allocation.Verdict.GROW, allocate(space, "x", 0, 100).verdict());
    space.setStuck(true);
    assertEquals(SEGMENT_BLOCKS, space.missingBlocks());
    assertEquals(SEGMENT_BLOCKS / 2, space.freeBlocks());
    Allocation pieces = allocate(space, "x", 0, 100);
    assertEquals(Allocation.Verdict.GRANTED, pieces.verdict());
    assertEquals(13, pieces.ranges().size());
    // Of a reserve of a quarter of the capacity, a quarter of what is there.
    long reserve = SEGMENT_BLOCKS / 2;
    int left = (int) space.freeBlocks() - SEGMENT_BLOCKS / 4;
    assertEquals(
        Allocation.Verdict.FULL, space.allocate(new Demand("x", 0, left + 1, reserve)).verdict());
    assertEquals(
        Allocation.Verdict.GRANTED, space.allocate(new Demand("x", 0, left, reserve)).verdict());
    space.setStuck(false);
    assertEquals(0, space.missingBlocks());
    assertEquals(Allocation.Verdict.GROW, allocate(space, "x", 0, 4000).verdict());
  }
}
