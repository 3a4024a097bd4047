package org.weft.metadata.backup;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.protocol.id.Lsn;

/**
 * The records of a copy that redo needs if its manager is promoted (P 6.3). These are the records
 * with effects that may not be on all OSDs yet. Records that change live state alone are not kept.
 * Used by one thread at a time.
 */
final class RedoTail {
  /**
   * @param bytes of the record in the journal
   */
  private record Kept(JournalRecord record, long bytes) {}

  private Deque<Kept> records = new ArrayDeque<>();
  private Lsn from = Lsn.ZERO;
  private long bytes;

  /**
   * Takes the next record.
   *
   * @return false if it need not be kept
   */
  boolean add(JournalRecord record, long recordBytes) {
    if (record.lsn().compareTo(from) < 0) {
      return false;
    }
    List<Effect> needed = record.effects().stream().filter(RedoTail::isNeeded).toList();
    if (needed.isEmpty()) {
      return false;
    }
    records.addLast(new Kept(new JournalRecord(record.lsn(), needed), recordBytes));
    bytes += recordBytes;
    return true;
  }

  /** What is complete under a grant that has ended leaves with the attributes of the file. */
  private static boolean isNeeded(Effect effect) {
    return effect instanceof ObjectEffect
        || effect instanceof LiveEffect.GrantClosed closed && closed.completeUpTo() != 0;
  }

  /**
   * Records below that LSN need no redo.
   *
   * @return bytes that are kept no more
   */
  long dropBelow(Lsn lsn) {
    from = lsn.compareTo(from) > 0 ? lsn : from;
    long before = bytes;
    while (!records.isEmpty() && records.peekFirst().record().lsn().compareTo(from) < 0) {
      bytes -= records.removeFirst().bytes();
    }
    return before - bytes;
  }

  /**
   * A snapshot of the live state stands behind all records that are kept: an opening of the journal
   * takes none of it from them.
   *
   * @return bytes that are kept no more
   */
  long forgetLive() {
    // First all that is kept on, then it takes the place of the other: either is whole.
    Deque<Kept> next = new ArrayDeque<>();
    long nextBytes = 0;
    for (Kept kept : records) {
      List<Effect> effects =
          kept.record().effects().stream().filter(ObjectEffect.class::isInstance).toList();
      if (!effects.isEmpty()) {
        next.addLast(new Kept(new JournalRecord(kept.record().lsn(), effects), kept.bytes()));
        nextBytes += kept.bytes();
      }
    }
    long before = bytes;
    records = next;
    bytes = nextBytes;
    return before - bytes;
  }

  /** Keeps nothing any more. */
  void clear() {
    records.clear();
    bytes = 0;
  }

  /** The oldest LSN of which redo may have to begin. */
  Lsn from() {
    return from;
  }

  List<JournalRecord> records() {
    return records.stream().map(Kept::record).toList();
  }

  int size() {
    return records.size();
  }

  /** Bytes of the kept records, as they are in the journal. */
  long bytes() {
    return bytes;
  }
}
