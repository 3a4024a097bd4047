package org.weft.hadoop;

import java.io.EOFException;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.fs.FileRange;

/**
 * Checks the ranges of a vectored read and sorts them. Hadoop's own method for this has another
 * name in 3.4.0 than later, and checks less there.
 */
final class VectoredRanges {
  private VectoredRanges() {}

  /**
   * The ranges by offset.
   *
   * @param sizeBytes length of the file
   * @throws EOFException if a range begins before the file or reaches behind its end
   * @throws IllegalArgumentException if a length is negative or two ranges overlap
   */
  static List<? extends FileRange> sorted(List<? extends FileRange> ranges, long sizeBytes)
      throws EOFException {
    for (FileRange range : ranges) {
      check(range, sizeBytes);
    }
    List<? extends FileRange> sorted =
        ranges.stream().sorted(Comparator.comparingLong(FileRange::getOffset)).toList();
    for (int i = 1; i < sorted.size(); i++) {
      FileRange before = sorted.get(i - 1);
      if (before.getOffset() + before.getLength() > sorted.get(i).getOffset()) {
        throw new IllegalArgumentException(
            "Overlapping ranges " + before + " and " + sorted.get(i));
      }
    }
    return sorted;
  }

  private static void check(FileRange range, long sizeBytes) throws EOFException {
    if (range.getLength() < 0) {
      throw new IllegalArgumentException("length is negative in " + range);
    }
    if (range.getOffset() < 0) {
      throw new EOFException("position is negative in range " + range);
    }
    if (range.getOffset() >= sizeBytes || range.getLength() > sizeBytes - range.getOffset()) {
      throw new EOFException(range + " reaches behind the end of the file, at " + sizeBytes);
    }
  }
}
