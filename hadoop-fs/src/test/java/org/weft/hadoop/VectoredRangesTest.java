package org.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.util.List;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.Test;

/** The ranges that a vectored read takes: the same on every release of Hadoop. */
class VectoredRangesTest {
  private static final long SIZE_BYTES = 1000;

  private static FileRange range(long offset, int length) {
    return FileRange.createFileRange(offset, length);
  }

  private static void assertRefused(Class<? extends Exception> how, FileRange... ranges) {
    assertThrows(how, () -> VectoredRanges.sorted(List.of(ranges), SIZE_BYTES));
  }

  @Test
  void rangesAreSortedByOffset() throws EOFException {
    List<Long> offsets =
        VectoredRanges.sorted(List.of(range(500, 500), range(0, 10), range(10, 90)), SIZE_BYTES)
            .stream()
            .map(FileRange::getOffset)
            .toList();
    assertEquals(List.of(0L, 10L, 500L), offsets);
  }

  @Test
  void noRangesAreNoFault() throws EOFException {
    assertEquals(List.of(), VectoredRanges.sorted(List.of(), 0));
  }

  @Test
  void rangesOutsideTheFileAreRefused() {
    assertRefused(EOFException.class, range(-1, 2));
    assertRefused(EOFException.class, range(0, 5), range(1000, 1));
    assertRefused(EOFException.class, range(991, 10));
    assertRefused(EOFException.class, range(Long.MAX_VALUE, 10));
  }

  @Test
  void rangesThatOverlapAreRefused() {
    assertRefused(IllegalArgumentException.class, range(5, 10), range(0, 6));
    assertRefused(IllegalArgumentException.class, range(5, 10), range(5, 10));
  }
}
