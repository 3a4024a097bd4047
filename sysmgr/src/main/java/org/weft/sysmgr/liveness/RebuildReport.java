package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.wire.RepairState;

/**
 * What a manager says of how far what lost OSDs held of a volume is rebuilt (P 6.8).
 *
 * @param lost OSDs that are lost
 * @param unheard OSDs that have yet to say what they know of
 * @param waiting of the files to do, how many have to come to rest first
 * @param failed how many could not be rebuilt when it was tried last
 * @param beyond how many have lost more than their code bears
 */
public record RebuildReport(
    SortedSet<Integer> lost,
    SortedSet<Integer> unheard,
    long filesToDo,
    long bytesToDo,
    long filesDone,
    long bytesDone,
    long bytesPerSecond,
    long waiting,
    long failed,
    long beyond) {
  public RebuildReport {
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
    unheard = Collections.unmodifiableSortedSet(new TreeSet<>(unheard));
  }

  /** As it came, without more OSDs than that. */
  public static RebuildReport of(RepairState state, int mostOsds) {
    SortedSet<Integer> lost = new TreeSet<>();
    state.getLostOsdList().stream().limit(mostOsds).forEach(lost::add);
    SortedSet<Integer> unheard = new TreeSet<>();
    state.getUnheardOsdList().stream().limit(mostOsds).forEach(unheard::add);
    return new RebuildReport(
        lost,
        unheard,
        state.getFilesToDo(),
        state.getBytesToDo(),
        state.getFilesDone(),
        state.getBytesDone(),
        state.getBytesPerSecond(),
        state.getWaiting(),
        state.getFailed(),
        state.getBeyond());
  }

  /** Seconds until all bytes are written at that rate; negative if nothing can be said. */
  public long secondsLeft() {
    return bytesPerSecond == 0 ? -1 : bytesToDo / bytesPerSecond;
  }
}
