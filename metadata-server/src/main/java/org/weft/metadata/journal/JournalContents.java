package org.weft.metadata.journal;

import java.util.List;
import java.util.Objects;
import org.weft.protocol.id.Lsn;

/**
 * What a journal holds when it is opened.
 *
 * @param liveState effects that make the live state as of the last snapshot; empty without one
 * @param records in the order of their LSNs. Live effects that the snapshot covers are left out,
 *     and so are effects on objects that are known to be under a checkpoint. Some more may be in
 *     it, which harms nothing: redo is idempotent
 * @param lastLsn the largest LSN ever acknowledged by this log, {@link Lsn#ZERO} for a new one
 */
public record JournalContents(
    List<LiveEffect> liveState, List<JournalRecord> records, Lsn lastLsn) {
  public JournalContents {
    liveState = List.copyOf(liveState);
    records = List.copyOf(records);
    Objects.requireNonNull(lastLsn, "lastLsn");
  }

  /** Nothing was ever written to the log. */
  public boolean isEmpty() {
    return lastLsn.equals(Lsn.ZERO);
  }
}
