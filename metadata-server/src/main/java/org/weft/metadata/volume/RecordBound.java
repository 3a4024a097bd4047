package org.weft.metadata.volume;

import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalRecord;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Records that the journal takes. It is asked before anything is applied: what the journal refuses
 * afterwards would end the volume.
 */
final class RecordBound {
  /** Records of fewer effects are far below the bound. */
  private static final int EFFECTS_TO_MEASURE = 500;

  private RecordBound() {}

  /** The journal takes the record. */
  static boolean holds(JournalRecord record) {
    return record.effects().size() < EFFECTS_TO_MEASURE
        || JournalEntry.of(record).bodies().stream()
            .allMatch(body -> body.length <= JournalLog.MAX_RECORD_BYTES);
  }

  /** Why a request is refused whose record the journal does not take. */
  static RpcException tooMuchAtOnce(JournalRecord record) {
    return new RpcException(
        ErrorCode.OVERLOADED,
        "the request would change "
            + record.effects().size()
            + " things at once, more than a record of the journal holds; bring OSDs that are down"
            + " back, or close files that are shared by many, and try again");
  }
}
