package org.weft.metadata.journal;

import java.util.List;
import java.util.Objects;
import org.weft.protocol.id.Lsn;

/**
 * What stands in a journal, as bytes: a record, or a whole snapshot of live state. A backup writes
 * the same bytes.
 *
 * @param snapshot else it is a record
 * @param lsn of the record; of the last record before the snapshot
 * @param bodies of its frames; a record has one
 */
public record JournalEntry(boolean snapshot, Lsn lsn, List<byte[]> bodies) {
  public JournalEntry {
    Objects.requireNonNull(lsn, "lsn");
    bodies = List.copyOf(bodies);
    if (bodies.isEmpty() || !snapshot && bodies.size() > 1) {
      throw new IllegalArgumentException("a record has one frame, got " + bodies.size());
    }
  }

  /** The record as it is written. */
  public static JournalEntry of(JournalRecord record) {
    return new JournalEntry(
        false, record.lsn(), List.of(EffectCodec.encodeRecord(record.effects())));
  }

  /** The live state as of a record. */
  public static JournalEntry ofSnapshot(Lsn asOf, List<LiveEffect> liveState) {
    return new JournalEntry(true, asOf, EffectCodec.encodeSnapshot(liveState));
  }

  public long bytes() {
    return bodies.stream().mapToLong(body -> body.length).sum();
  }
}
