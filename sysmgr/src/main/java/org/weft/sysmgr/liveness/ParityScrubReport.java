package org.weft.sysmgr.liveness;

import org.weft.protocol.wire.ParityScrubState;

/**
 * How far a manager is with comparing the parity of a volume's files with their data (P 6.8f).
 *
 * @param off nothing is looked at
 * @param passes that have ended
 * @param now the pass that is under way; all 0: none is
 * @param objectId it goes on with this one
 * @param last the newest pass that has ended; all 0: none has
 * @param contradicted files whose parity and data contradict each other now
 * @param waits what it waits for; empty: for nothing
 */
public record ParityScrubReport(
    boolean off, long passes, Pass now, long objectId, Pass last, long contradicted, String waits) {
  /**
   * A pass.
   *
   * @param begunMillis since 1970
   * @param endedMillis 0: it is under way
   * @param left files that could not be compared, or wait for it
   */
  public record Pass(
      long begunMillis, long endedMillis, long objects, long files, long bytes, long left) {}

  /**
   * As it came.
   *
   * @param waits as it may be shown
   */
  public static ParityScrubReport of(ParityScrubState state, String waits) {
    return new ParityScrubReport(
        state.getOff(),
        state.getPasses(),
        new Pass(
            state.getBegunMillis(),
            0,
            state.getObjects(),
            state.getFiles(),
            state.getBytes(),
            state.getLeft()),
        state.getObjectId(),
        new Pass(
            state.getLastBegunMillis(),
            state.getLastEndedMillis(),
            0,
            state.getLastFiles(),
            0,
            state.getLastLeft()),
        state.getContradicted(),
        waits);
  }

  /** As managers say it. */
  public ParityScrubState toMessage() {
    return ParityScrubState.newBuilder()
        .setOff(off)
        .setPasses(passes)
        .setBegunMillis(now.begunMillis())
        .setObjects(now.objects())
        .setFiles(now.files())
        .setBytes(now.bytes())
        .setLeft(now.left())
        .setObjectId(objectId)
        .setLastBegunMillis(last.begunMillis())
        .setLastEndedMillis(last.endedMillis())
        .setLastFiles(last.files())
        .setLastLeft(last.left())
        .setContradicted(contradicted)
        .setWaits(waits)
        .build();
  }
}
