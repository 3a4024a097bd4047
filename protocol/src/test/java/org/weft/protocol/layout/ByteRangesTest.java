package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Sets of bytes as ranges, against a set of bits. */
class ByteRangesTest {
  private static final int BYTES = 40;

  @Test
  void touchingRangesAreMerged() {
    ByteRanges ranges = ByteRanges.NONE.plus(range(0, 4)).plus(range(8, 12));
    assertEquals(List.of(range(0, 4), range(8, 12)), ranges.list());
    assertEquals(List.of(range(0, 12)), ranges.plus(range(4, 8)).list());
    assertEquals(List.of(ByteRange.ALL), ranges.plus(ByteRange.ALL).list());
    assertEquals(
        List.of(range(0, 2), new ByteRange(6, ByteRange.END)),
        new ByteRanges(List.of(ByteRange.ALL)).minus(range(2, 6)).list());
  }

  @Test
  void anEndIsZeroInMessages() {
    assertEquals(ByteRange.ALL, ByteRange.fromMessage(0, 0));
    assertEquals(0, ByteRange.ALL.toInMessage());
    assertEquals(8, range(4, 8).toInMessage());
    assertThrows(IllegalArgumentException.class, () -> ByteRange.fromMessage(8, 8));
    assertThrows(IllegalArgumentException.class, () -> ByteRange.fromMessage(-1, 8));
    assertThrows(IllegalArgumentException.class, () -> ByteRange.fromMessage(8, -8));
  }

  @Test
  void rangesGrowToWholeMultiples() {
    assertEquals(range(8, 24), range(9, 17).alignedTo(8));
    assertEquals(range(8, 16), range(8, 16).alignedTo(8));
    assertEquals(new ByteRange(8, ByteRange.END), new ByteRange(9, ByteRange.END).alignedTo(8));
    assertTrue(range(8, 16).isAlignedTo(8));
    assertTrue(ByteRange.ALL.isAlignedTo(24));
    assertFalse(range(8, 17).isAlignedTo(8));
  }

  @Test
  void setsOfBytesBehaveLikeSetsOfBits() {
    SplittableRandom random = new SplittableRandom(5);
    for (int round = 0; round < 200; round++) {
      ByteRanges ranges = ByteRanges.NONE;
      BitSet bits = new BitSet();
      for (int step = 0; step < 20; step++) {
        int from = random.nextInt(BYTES - 1);
        int to = from + 1 + random.nextInt(BYTES - from);
        ByteRange change = range(from, to);
        assertEquals(bits.get(from, to).cardinality() > 0, ranges.overlaps(change));
        assertEquals(bits.get(from, to).cardinality() == to - from, ranges.contains(change));
        boolean add = random.nextBoolean();
        bits.set(from, to, add);
        ranges = add ? ranges.plus(change) : ranges.minus(change);
        assertEquals(bits, bits(ranges));
        BitSet inside = new BitSet();
        inside.set(3, 20);
        inside.and(bits);
        assertEquals(inside, bits(ranges.within(range(3, 20))));
        assertEquals(bits, bits(ranges.minus(range(3, 20)).plus(ranges.within(range(3, 20)))));
      }
    }
  }

  private static BitSet bits(ByteRanges ranges) {
    BitSet bits = new BitSet();
    ranges.list().forEach(each -> bits.set((int) each.from(), (int) each.to()));
    return bits;
  }

  private static ByteRange range(long from, long to) {
    return new ByteRange(from, to);
  }
}
