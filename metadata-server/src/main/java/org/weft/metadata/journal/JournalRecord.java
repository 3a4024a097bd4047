package org.weft.metadata.journal;

import java.util.List;
import java.util.Objects;
import org.weft.protocol.id.Lsn;

/**
 * Everything that one operation changes, the reply included, under one LSN: after a crash all of it
 * holds or none (P 6.1). Its size is bounded by {@link JournalLog#MAX_RECORD_BYTES} when encoded.
 */
public record JournalRecord(Lsn lsn, List<Effect> effects) {
  public JournalRecord {
    Objects.requireNonNull(lsn, "lsn");
    effects = List.copyOf(effects);
  }
}
