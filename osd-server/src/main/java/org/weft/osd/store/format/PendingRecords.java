package org.weft.osd.store.format;

import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PendingKind;

/**
 * The pending list of one object (P 5.4). Immutable; by grant as an unsigned number, then by
 * sequence. No two records of a grant share a number.
 */
public record PendingRecords(List<PendingRecord> records) {
  public static final PendingRecords NONE = new PendingRecords(List.of());

  public PendingRecords {
    records = List.copyOf(records);
  }

  public boolean isEmpty() {
    return records.isEmpty();
  }

  /** With one record more. */
  public PendingRecords with(PendingRecord record) {
    List<PendingRecord> next = new ArrayList<>(records.size() + 1);
    next.addAll(records);
    // Most come in order: look from the end.
    int place = next.size();
    while (place > 0 && precedes(record, next.get(place - 1))) {
      place--;
    }
    next.add(place, record);
    return new PendingRecords(next);
  }

  private static boolean precedes(PendingRecord one, PendingRecord other) {
    int order = Long.compareUnsigned(one.grant(), other.grant());
    return order < 0 || (order == 0 && one.write().firstSequence() < other.write().firstSequence());
  }

  /** Without this record, which is one of the list's. */
  public PendingRecords without(PendingRecord record) {
    List<PendingRecord> next = new ArrayList<>(records);
    next.removeIf(one -> one == record);
    return new PendingRecords(next);
  }

  /** Those of a grant that have one of these numbers. */
  public List<PendingRecord> numbered(long grant, long firstSequence, long lastSequence) {
    List<PendingRecord> found = new ArrayList<>();
    for (PendingRecord record : records) {
      if (record.grant() == grant && record.overlapsNumbers(firstSequence, lastSequence)) {
        found.add(record);
      }
    }
    return found;
  }

  /** Those that have bytes in these blocks. */
  public List<PendingRecord> overlapping(long fromBlock, long toBlock) {
    List<PendingRecord> found = new ArrayList<>();
    for (PendingRecord record : records) {
      if (record.overlaps(fromBlock, toBlock)) {
        found.add(record);
      }
    }
    return found;
  }

  public List<PendingRecord> ofGrant(long grant) {
    List<PendingRecord> found = new ArrayList<>();
    for (PendingRecord record : records) {
      if (record.grant() == grant) {
        found.add(record);
      }
    }
    return found;
  }

  /** Those that are complete by what the object's record says. */
  public List<PendingRecord> completeBy(ObjectRecord object) {
    List<PendingRecord> found = new ArrayList<>();
    for (PendingRecord record : records) {
      if (object.isComplete(record.grant(), record.write().lastSequence())) {
        found.add(record);
      }
    }
    return found;
  }

  /** Without those that are complete by what the object's record says. */
  public PendingRecords after(ObjectRecord object) {
    List<PendingRecord> complete = completeBy(object);
    if (complete.isEmpty()) {
      return this;
    }
    List<PendingRecord> next = new ArrayList<>(records);
    next.removeIf(record -> object.isComplete(record.grant(), record.write().lastSequence()));
    return new PendingRecords(next);
  }

  /**
   * The object's record with the file length that the writes of the list establish, too: what
   * readers and writers are told. The record as stored has the length that is settled, so that a
   * write which is undone takes its own along (P 4.3, 5.4).
   */
  public ObjectRecord effective(ObjectRecord settled) {
    ObjectRecord object = settled;
    for (PendingRecord record : records) {
      if (record.kind() != PendingKind.ABORTED) {
        object = object.established(record.write().truncationNumber(), record.write().eofBytes());
      }
    }
    return object;
  }

  public long keptBlocks() {
    long blocks = 0;
    for (PendingRecord record : records) {
      blocks += record.keptBlocks();
    }
    return blocks;
  }
}
