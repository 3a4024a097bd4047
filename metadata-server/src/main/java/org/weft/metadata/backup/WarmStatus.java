package org.weft.metadata.backup;

import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.WarmCopyState;

/**
 * How warm the live state of a copy is.
 *
 * @param applied the newest record that it holds
 * @param behind records that are on this disk and not applied yet
 * @param redoRecords that a promotion would redo on the OSDs
 * @param reason why it is cold, for people; empty if it is not
 */
public record WarmStatus(Phase phase, Lsn applied, long behind, long redoRecords, String reason) {
  /** Whether it can be used at a promotion. */
  public enum Phase {
    /** What was journalled before the copy was begun is on its way. */
    FILLING,
    WARM,
    /** A promotion reads the journal. */
    COLD
  }

  WarmCopyState toMessage() {
    return WarmCopyState.newBuilder()
        .setPhase(
            switch (phase) {
              case FILLING -> WarmCopyState.Phase.FILLING;
              case WARM -> WarmCopyState.Phase.WARM;
              case COLD -> WarmCopyState.Phase.COLD;
            })
        .setAppliedLsn(applied.value())
        .setRecordsBehind(behind)
        .setRedoRecords(redoRecords)
        .setReason(reason)
        .build();
  }
}
