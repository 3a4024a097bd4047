package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.List;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.protocol.id.ObjectName;

/**
 * An object's record and its pending list while a commit changes them together (P 5.4). One step,
 * for all readers and on the disk, changes a mark and the records that it completes. The same step
 * changes what those kept and the file length that they settle.
 */
final class ObjectState {
  private final Transaction transaction;
  private final ObjectName name;
  private ObjectRecord record;
  private PendingRecords pending;
  private boolean listChanged;

  private ObjectState(
      Transaction transaction, ObjectName name, ObjectRecord record, PendingRecords pending) {
    this.transaction = transaction;
    this.name = name;
    this.record = record;
    this.pending = pending;
  }

  /** As the transaction has it. */
  static ObjectState of(Transaction transaction, ObjectName name, ObjectRecord record)
      throws IOException {
    return new ObjectState(transaction, name, record, transaction.pending(record));
  }

  ObjectRecord record() {
    return record;
  }

  PendingRecords pending() {
    return pending;
  }

  /** The record, otherwise changed. */
  void change(ObjectRecord next) {
    record = next;
  }

  /** A writer under a floor knows that every grant below it is resolved (P 5.4, 5.7). */
  void raiseFloor(long floor) {
    record = record.resolvedTo(floor);
    dropComplete();
  }

  /** Every number of the grant up to here is complete. */
  void complete(long grant, long upTo) {
    record = record.completed(grant, upTo);
    dropComplete();
  }

  private void dropComplete() {
    if (!pending.isEmpty()) {
      pending.completeBy(record).forEach(this::settle);
    }
  }

  /** The record goes because its write is complete: it keeps nothing, and its length stands. */
  private void settle(PendingRecord complete) {
    if (complete.kind() != PendingKind.ABORTED) {
      record = record.established(complete.write().truncationNumber(), complete.write().eofBytes());
    }
    drop(complete);
  }

  /** The record goes, and what it keeps is let go of. */
  void drop(PendingRecord gone) {
    letGo(gone.kept());
    remove(gone);
  }

  /** The record goes; what it kept is somewhere else, or was let go of. */
  void remove(PendingRecord gone) {
    pending = pending.without(gone);
    listChanged = true;
  }

  /**
   * What the record keeps is counted already. A request may say of its own write that it is
   * complete.
   */
  void add(PendingRecord more) {
    pending = pending.with(more);
    listChanged = true;
    if (record.isComplete(more.grant(), more.write().lastSequence())) {
      settle(more);
    }
  }

  /** Everything from this block on is cut off the record. */
  void cut(PendingRecord old, long block) {
    if (old.firstBlock() >= block) {
      drop(old);
      return;
    }
    letGo(old.keptFrom(block));
    remove(old);
    add(old.before(block));
  }

  private void letGo(List<Extent> kept) {
    long blocks = 0;
    for (Extent extent : kept) {
      transaction.free(extent);
      blocks += extent.blockCount();
    }
    record = record.written(0, -blocks);
  }

  /** Stages what was changed. */
  void finish() throws IOException {
    if (listChanged) {
      transaction.putPending(record.handle(), pending);
      record = record.withPending(!pending.isEmpty());
    }
    transaction.putObject(name, record);
  }
}
