package org.weft.testkit.osd;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;

/**
 * The pending list of one object (P 5.4): its records, up to where each grant is complete, and
 * below which grant everything is. What a completed record established is settled in the lengths.
 */
final class FakePendingList {
  private static final int MAX_RECORDS = 1024;
  private static final long MAX_RETAINED_BYTES = 64L << 20;

  private static final Comparator<FakePending> BY_ID =
      Comparator.comparing(FakePending::grant, Long::compareUnsigned)
          .thenComparing(FakePending::firstSeq);

  private final List<FakePending> records;
  private final TreeMap<Long, Long> marks;
  private long floor;
  private FakeLengths settled;

  FakePendingList() {
    records = new ArrayList<>();
    marks = new TreeMap<>(Long::compareUnsigned);
    settled = FakeLengths.NONE;
  }

  FakePendingList(FakePendingList other) {
    records = new ArrayList<>(other.records);
    marks = new TreeMap<>(other.marks);
    floor = other.floor;
    settled = other.settled;
  }

  /** What complete writes established. */
  FakeLengths settled() {
    return settled;
  }

  void settle(FakeLengths lengths) {
    settled = lengths;
  }

  /** What complete and pending writes established together. */
  FakeLengths lengths() {
    FakeLengths all = settled;
    for (FakePending record : records) {
      all = all.with(record);
    }
    return all;
  }

  long completeUpTo(long grant) {
    return marks.getOrDefault(grant, 0L);
  }

  /** True if that is complete, and everything of the grant before it. */
  boolean isComplete(long grant, long seq) {
    boolean resolved = new Lsn(grant).index() != 0 && Long.compareUnsigned(grant, floor) < 0;
    return resolved || seq <= completeUpTo(grant);
  }

  /** Every write of a smaller grant is complete. */
  long resolvedBelow() {
    return floor;
  }

  /** Records up to there go, and what they kept with them. */
  void complete(long grant, long upTo) {
    if (upTo > 0 && !isComplete(grant, upTo)) {
      marks.put(grant, upTo);
      drop(records.stream().filter(r -> r.grant() == grant && r.lastSeq() <= upTo).toList());
    }
  }

  /** Everything of smaller grants has been resolved: it is complete, records and marks go. */
  void purge(long belowGrant) {
    if (Long.compareUnsigned(belowGrant, floor) > 0) {
      floor = belowGrant;
      marks.headMap(belowGrant, false).clear();
      drop(records.stream().filter(r -> Long.compareUnsigned(r.grant(), belowGrant) < 0).toList());
    }
  }

  private void drop(List<FakePending> complete) {
    for (FakePending record : complete) {
      settled = settled.with(record);
      records.remove(record);
    }
  }

  /** The records that have one of these seqs. */
  List<FakePending> numbered(long grant, long firstSeq, long lastSeq) {
    return records.stream().filter(r -> r.touches(grant, firstSeq, lastSeq)).toList();
  }

  void add(FakePending record) {
    records.add(record);
  }

  void remove(FakePending record) {
    records.remove(record);
  }

  /**
   * Makes way for a write to these blocks. No other pending write may be in its way, unless both
   * are XORed onto a parity. What a manager writes under its own number takes the place of what
   * dead grants left: there is nothing more to undo.
   *
   * @param overDead a manager's own write
   * @throws WeftException BUSY
   */
  void clear(PendingKind kind, boolean overDead, long version, long fromBlock, long endBlock)
      throws WeftException {
    for (FakePending record : List.copyOf(records)) {
      boolean both = kind == PendingKind.XOR_DELTA && record.kind() == PendingKind.XOR_DELTA;
      if (both || !record.owns(fromBlock, endBlock)) {
        continue;
      }
      if (!overDead || Long.compareUnsigned(record.grant(), version) >= 0) {
        throw new WeftException(
            ErrorCode.BUSY,
            "a block belongs to write (%s, %d), which is not known to be complete"
                .formatted(new Lsn(record.grant()), record.firstSeq()));
      }
      records.remove(record);
    }
  }

  /**
   * What lies behind a cut with an id up to this one is removed, and is no longer undone. The cut's
   * truncation number keeps it from coming back.
   */
  void cut(long fromBlock, long grant, long seq) {
    for (FakePending record : List.copyOf(records)) {
      int order = Long.compareUnsigned(record.grant(), grant);
      boolean newer = order > 0 || (order == 0 && record.lastSeq() > seq);
      if (!newer && record.owns(fromBlock, Long.MAX_VALUE)) {
        records.remove(record);
        if (record.kept().firstKey() < fromBlock) {
          records.add(record.before(fromBlock));
        }
      }
    }
  }

  /** Keeps what one grant may have pending within bounds: BUSY past them. */
  void requireRoom(long grant, long moreBytes) throws WeftException {
    List<FakePending> of = records.stream().filter(r -> r.grant() == grant).toList();
    long retained = of.stream().mapToLong(FakePending::retainedBytes).sum();
    if (of.size() >= MAX_RECORDS || retained + moreBytes > MAX_RETAINED_BYTES) {
      throw new WeftException(
          ErrorCode.BUSY, "the grant has as much pending on this object as it may");
    }
  }

  /** True if a write that may yet be undone overlaps the range (P 5.6). */
  boolean isPending(long fromBlock, long endBlock) {
    return records.stream().anyMatch(r -> r.owns(fromBlock, endBlock));
  }

  List<PendingWrite> writes() {
    return records.stream().sorted(BY_ID).map(FakePending::message).toList();
  }

  List<CompletionMarkMessage> marks() {
    List<CompletionMarkMessage> messages = new ArrayList<>();
    marks.forEach(
        (grant, upTo) ->
            messages.add(
                CompletionMarkMessage.newBuilder().setGrant(grant).setCompleteUpTo(upTo).build()));
    return messages;
  }
}
