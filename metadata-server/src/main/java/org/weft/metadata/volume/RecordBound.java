package org.weft.metadata.volume;

import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Records that the journal takes. The machine asks it before it applies anything, since a refusal
 * by the journal afterwards would end the volume.
 */
final class RecordBound {
  /** Records of fewer effects are far below the bound. */
  private static final int EFFECTS_TO_MEASURE = 500;

  /** Extended attributes and ACLs: new directories in one that has ACLs all have them, too. */
  private static final int EXTRA_BYTES_TO_MEASURE = 256 << 10;

  private RecordBound() {}

  /** The journal takes the record. */
  static boolean holds(JournalRecord record) {
    return isSmall(record)
        || JournalEntry.of(record).bodies().stream()
            .allMatch(body -> body.length <= JournalLog.MAX_RECORD_BYTES);
  }

  private static boolean isSmall(JournalRecord record) {
    int extraBytes = 0;
    for (Effect effect : record.effects()) {
      if (effect instanceof ObjectEffect.PutAttributes put) {
        extraBytes += put.attributes().extraBytes();
      }
    }
    return record.effects().size() < EFFECTS_TO_MEASURE && extraBytes < EXTRA_BYTES_TO_MEASURE;
  }

  /** Why a request is refused whose record the journal does not take. */
  static WeftException tooMuchAtOnce(JournalRecord record) {
    return new WeftException(
        ErrorCode.OVERLOADED,
        "the request would change "
            + record.effects().size()
            + " things at once, more than a record of the journal holds; bring OSDs that are down"
            + " back, or close files that are shared by many, and try again");
  }
}
