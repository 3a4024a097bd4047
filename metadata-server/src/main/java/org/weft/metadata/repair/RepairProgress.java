package org.weft.metadata.repair;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;

/**
 * How far the repair of a volume is. Immutable.
 *
 * @param lost OSDs whose components are being rebuilt
 * @param leaving OSDs that are there and whose components go to others
 * @param unheard OSDs that have not answered yet
 * @param filesToDo with something to repair, as far as they have been found
 * @param endangered how many of them bear no further loss, and come first
 * @param bytesToDo of them, as far as known
 * @param filesDone since this repair began
 * @param bytesDone since then
 * @param bytesPerSecond since then; 0 before anything was written
 * @param waiting how many files have to come to rest first
 * @param failed how many could not be rebuilt when it was tried last
 * @param withoutSpare how many of these no OSD is left for
 * @param beyond how many have lost more than their code bears
 * @param managers that copy components now, the volume's primary included; 0: there is nothing to
 *     do
 * @param words sentences on some of these files
 */
public record RepairProgress(
    SortedSet<OsdId> lost,
    SortedSet<OsdId> leaving,
    SortedSet<OsdId> unheard,
    long filesToDo,
    long endangered,
    long bytesToDo,
    long filesDone,
    long bytesDone,
    long bytesPerSecond,
    long waiting,
    long failed,
    long withoutSpare,
    long beyond,
    int managers,
    List<String> words) {
  /** Nothing is to be done. */
  public static final RepairProgress NONE =
      new RepairProgress(
          Collections.emptySortedSet(),
          Collections.emptySortedSet(),
          Collections.emptySortedSet(),
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          List.of());

  public RepairProgress {
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
    leaving = Collections.unmodifiableSortedSet(new TreeSet<>(leaving));
    unheard = Collections.unmodifiableSortedSet(new TreeSet<>(unheard));
    words = List.copyOf(words);
  }

  /** Nothing is left that could be done. */
  public boolean isOver() {
    return filesToDo == 0 && unheard.isEmpty();
  }

  /** Seconds until all bytes are written at that rate; negative if nothing can be said. */
  public long secondsLeft() {
    return bytesPerSecond == 0 ? -1 : (bytesToDo + bytesPerSecond - 1) / bytesPerSecond;
  }
}
