package org.weft.sysmgr.liveness;

import org.weft.protocol.wire.WarmCopyState;

/**
 * How warm the live state is that the backup of a volume keeps, as the primary heard last (P 6.3a).
 *
 * @param appliedLsn the newest record that it holds
 * @param recordsBehind on the backup's disk and not applied yet
 * @param redoRecords that a promotion would lay over what the OSDs hold
 * @param reason why it is cold; empty if it is not
 */
public record WarmReport(
    Phase phase, long appliedLsn, long recordsBehind, long redoRecords, String reason) {
  /** What it is good for. */
  public enum Phase {
    UNKNOWN,
    /** What was journalled before the copy was begun is on its way. */
    FILLING,
    WARM,
    /** A promotion reads the journal. */
    COLD
  }

  /**
   * As it came.
   *
   * @param reason as it may be shown
   */
  public static WarmReport of(WarmCopyState state, String reason) {
    return new WarmReport(
        switch (state.getPhase()) {
          case FILLING -> Phase.FILLING;
          case WARM -> Phase.WARM;
          case COLD -> Phase.COLD;
          case UNKNOWN, UNRECOGNIZED -> Phase.UNKNOWN;
        },
        state.getAppliedLsn(),
        state.getRecordsBehind(),
        state.getRedoRecords(),
        reason);
  }

  /** As managers say it. */
  public WarmCopyState toMessage() {
    return WarmCopyState.newBuilder()
        .setPhase(
            switch (phase) {
              case UNKNOWN -> WarmCopyState.Phase.UNKNOWN;
              case FILLING -> WarmCopyState.Phase.FILLING;
              case WARM -> WarmCopyState.Phase.WARM;
              case COLD -> WarmCopyState.Phase.COLD;
            })
        .setAppliedLsn(appliedLsn)
        .setRecordsBehind(recordsBehind)
        .setRedoRecords(redoRecords)
        .setReason(reason)
        .build();
  }
}
