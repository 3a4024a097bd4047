package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Compares versions of a directory's blocks, so that a directory can be judged while it changes all
 * the time (P 6.8d). A version that was seen on one copy before a flush must be on all others after
 * it, or a newer one. Blocks with the same LSN must have the same bytes. Single-threaded.
 */
final class BlockVersions {
  private final ObjectId directory;
  private final Map<Integer, Lsn> newest = new HashMap<>();

  /** A copy has less of a block than it must. */
  record Difference(OsdId osd, int number, Suspicion what) {
    /** The same block of the same copy is among those. */
    boolean isIn(List<Difference> others) {
      return others.stream().anyMatch(one -> one.osd.equals(osd) && one.number == number);
    }
  }

  BlockVersions(ObjectId directory) {
    this.directory = directory;
  }

  ObjectId directory() {
    return directory;
  }

  /** What is flushed from now on brings these versions, or newer ones, to all copies. */
  void saw(DirectoryBlockCopies copies) {
    for (SortedMap<Integer, byte[]> blocks : copies.blocks().values()) {
      blocks.forEach(
          (number, block) -> {
            if (DirectoryBlock.problemOf(directory, number, block).isEmpty()) {
              newest.merge(
                  number,
                  DirectoryBlock.lsnOf(block),
                  (one, other) -> one.compareTo(other) > 0 ? one : other);
            }
          });
    }
  }

  /**
   * Copies that lack what was seen before, or cannot be read.
   *
   * @param numbers blocks that are compared, as far as they are in use
   */
  List<Difference> differences(DirectoryBlockCopies copies, List<Integer> numbers) {
    List<Difference> all = new ArrayList<>();
    copies
        .damaged()
        .forEach(
            (osd, why) ->
                all.add(
                    difference(
                        osd,
                        DirectoryBlock.HEADER,
                        "the copy of directory %s on osd-%s cannot be read: %s"
                            .formatted(directory, osd, why))));
    int end = copies.endBlock();
    for (int number : numbers) {
      if (number < end || number == DirectoryBlock.HEADER) {
        compare(copies, number, all);
      }
    }
    return all;
  }

  private void compare(DirectoryBlockCopies copies, int number, List<Difference> all) {
    Map<Lsn, OsdId> first = new HashMap<>();
    copies
        .blocks()
        .forEach(
            (osd, blocks) -> {
              byte[] block = blocks.get(number);
              String problem =
                  block == null
                      ? "it was never written there"
                      : DirectoryBlock.problemOf(directory, number, block).orElse("");
              if (problem.isEmpty()) {
                Lsn lsn = DirectoryBlock.lsnOf(block);
                Lsn needed = newest.getOrDefault(number, lsn);
                OsdId other = first.putIfAbsent(lsn, osd);
                if (lsn.compareTo(needed) < 0) {
                  problem = "it is of record %s, and another copy had %s".formatted(lsn, needed);
                } else if (other != null && !isSame(copies, other, block, number)) {
                  problem = "it differs from that of osd-%s, which is as new".formatted(other);
                }
              }
              if (!problem.isEmpty()) {
                all.add(
                    difference(
                        osd,
                        number,
                        "block %d of directory %s on osd-%s: %s"
                            .formatted(number, directory, osd, problem)));
              }
            });
  }

  private static boolean isSame(
      DirectoryBlockCopies copies, OsdId other, byte[] block, int number) {
    return Arrays.equals(copies.blocks().get(other).get(number), block);
  }

  private Difference difference(OsdId osd, int number, String what) {
    return new Difference(
        osd, number, Suspicion.on(osd, FindingKind.DIRECTORY_COPIES_DIFFER, directory, what));
  }
}
