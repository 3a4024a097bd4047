package org.weft.metadata.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.weft.protocol.id.Lsn;

/**
 * The content of a journal entry, as bytes: a record, or a whole snapshot of live state. A backup
 * writes the same bytes.
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

  /**
   * The record that it is.
   *
   * @throws IllegalArgumentException if it cannot be read
   */
  public JournalRecord record() {
    if (snapshot) {
      throw new IllegalStateException("it is a snapshot");
    }
    return new JournalRecord(lsn, EffectCodec.decodeRecord(ByteBuffer.wrap(bodies.get(0))));
  }

  /**
   * The live state that it is a snapshot of.
   *
   * @throws IllegalArgumentException if it cannot be read, or is not whole
   */
  public List<LiveEffect> liveState() {
    if (!snapshot) {
      throw new IllegalStateException("it is a record");
    }
    List<LiveEffect> effects = new ArrayList<>();
    for (int index = 0; index < bodies.size(); index++) {
      EffectCodec.SnapshotPart part =
          EffectCodec.decodeSnapshotPart(ByteBuffer.wrap(bodies.get(index)));
      if (part.part() != index || part.last() != (index == bodies.size() - 1)) {
        throw new IllegalArgumentException(
            "part " + part.part() + " of a snapshot stands where part " + index + " should");
      }
      effects.addAll(part.effects());
    }
    return effects;
  }

  /**
   * True if nothing is missing between: a snapshot is as of the record before it. Within an epoch
   * each record has the next number; the first of an epoch has the first.
   *
   * @param before what stands before it; ZERO: nothing does, and it may be any
   */
  public boolean follows(Lsn before) {
    if (before.equals(Lsn.ZERO)) {
      return true;
    }
    if (snapshot) {
      return lsn.equals(before);
    }
    return lsn.epoch() == before.epoch()
        ? lsn.index() == before.index() + 1
        : lsn.epoch() > before.epoch() && lsn.index() == 1;
  }

  public long bytes() {
    return bodies.stream().mapToLong(body -> body.length).sum();
  }
}
