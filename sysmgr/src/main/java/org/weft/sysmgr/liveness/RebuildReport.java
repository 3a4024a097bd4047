package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.wire.RepairState;

/**
 * What a manager says of how far what lost OSDs held of a volume is rebuilt (P 6.8).
 *
 * @param lost OSDs that are lost
 * @param leaving OSDs that are drained
 * @param unheard OSDs that have yet to say what they know of
 * @param endangered of the files to do, how many bear no further loss, and come first
 * @param waiting of the files to do, how many have to come to rest first
 * @param failed how many could not be rebuilt when it was tried last
 * @param withoutSpare how many of these no OSD is left for
 * @param beyond how many have lost more than their code bears
 * @param managers that copy components now; 0: it does not say
 */
public record RebuildReport(
    SortedSet<Integer> lost,
    SortedSet<Integer> leaving,
    SortedSet<Integer> unheard,
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
    int managers) {
  public RebuildReport {
    lost = Collections.unmodifiableSortedSet(new TreeSet<>(lost));
    leaving = Collections.unmodifiableSortedSet(new TreeSet<>(leaving));
    unheard = Collections.unmodifiableSortedSet(new TreeSet<>(unheard));
  }

  /** As it came, without more OSDs than that. */
  public static RebuildReport of(RepairState state, int mostOsds) {
    return new RebuildReport(
        some(state.getLostOsdList(), mostOsds),
        some(state.getLeavingOsdList(), mostOsds),
        some(state.getUnheardOsdList(), mostOsds),
        state.getFilesToDo(),
        state.getEndangered(),
        state.getBytesToDo(),
        state.getFilesDone(),
        state.getBytesDone(),
        state.getBytesPerSecond(),
        state.getWaiting(),
        state.getFailed(),
        state.getWithoutSpare(),
        state.getBeyond(),
        state.getManagers());
  }

  private static SortedSet<Integer> some(List<Integer> osds, int most) {
    return new TreeSet<>(osds.subList(0, Math.min(most, osds.size())));
  }

  /** As managers say it. */
  public RepairState toMessage() {
    return RepairState.newBuilder()
        .addAllLostOsd(lost)
        .addAllLeavingOsd(leaving)
        .addAllUnheardOsd(unheard)
        .setFilesToDo(filesToDo)
        .setEndangered(endangered)
        .setBytesToDo(bytesToDo)
        .setFilesDone(filesDone)
        .setBytesDone(bytesDone)
        .setBytesPerSecond(bytesPerSecond)
        .setWaiting(waiting)
        .setFailed(failed)
        .setWithoutSpare(withoutSpare)
        .setBeyond(beyond)
        .setManagers(managers)
        .build();
  }

  /** Seconds until all bytes are written at that rate; negative if nothing can be said. */
  public long secondsLeft() {
    return bytesPerSecond == 0 ? -1 : bytesToDo / bytesPerSecond;
  }
}
