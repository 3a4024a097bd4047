package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.List;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * Removes an object and leaves a tombstone (P 6.6). Extents of a large object are freed by later
 * commits ({@link #reap}): the object's handle is doomed, and nothing leads to it any more.
 */
final class RemovalChange extends SmallChange {
  private static final int PAGES_AT_ONCE = 64;
  private static final int MAX_SMALL_PAGES = 4;
  private static final int MAX_ATTRIBUTE_PAGES = 1 << 16;

  private final ObjectRemoval removal;

  RemovalChange(ObjectRemoval removal) throws WeftException {
    if (removal.lsn() == 0) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "a removal needs the LSN of the unlink");
    }
    this.removal = removal;
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    ObjectName name = removal.name();
    PartitionId id = name.partition();
    MutationAdmission.fence(transaction, id, removal.authority());
    ObjectRecord record = transaction.object(name);
    if (record != null) {
      requireRemovable(record);
      remove(transaction, name, record);
    }
    CreateFloor.bury(transaction, name, removal.lsn());
    CreateFloor.raise(transaction, id, removal.createFloor(), removal.authority());
    return Staged.now(new MutationResult.Ended(record != null));
  }

  private void requireRemovable(ObjectRecord record) throws WeftException {
    ObjectName name = removal.name();
    MutationAdmission.requireVersion(record, name, removal.authority());
    if (removal.onlyIfAbsent()) {
      throw new WeftException(
          ErrorCode.EXISTS,
          "object " + name + " exists, and was to be kept from being made only; nothing changed");
    }
    if (Long.compareUnsigned(removal.lsn(), record.version()) < 0) {
      throw new WeftException(
          ErrorCode.FENCED,
          "object "
              + name
              + " is at version "
              + new Lsn(record.version())
              + ": a removal at "
              + new Lsn(removal.lsn())
              + " comes too late");
    }
  }

  /** The object goes, without a tombstone. */
  static void remove(Transaction transaction, ObjectName name, ObjectRecord record)
      throws IOException {
    long handle = record.handle();
    transaction.remove(StoreKeys.object(name));
    removeAttributes(transaction, record);
    long keptBlocks = removePending(transaction, record);
    if (transaction.mayHaveGivenBack(handle)) {
      transaction.remove(StoreKeys.givenBack(handle));
    }
    if (!freeFew(transaction, record, record.usedBlocks() - keptBlocks)
        && !reap(transaction, handle)) {
      transaction.doom(handle);
    }
    transaction.addObjects(-1);
  }

  private static void removeAttributes(Transaction transaction, ObjectRecord record)
      throws IOException {
    if (record.onlyFirstPage()) {
      transaction.remove(StoreKeys.attribute(record.handle(), 0));
      return;
    }
    byte[] prefix = StoreKeys.prefix(StoreKeys.ATTRIBUTE, record.handle());
    for (Transaction.Entry entry :
        transaction.scan(prefix, StoreKeys.after(prefix), MAX_ATTRIBUTE_PAGES)) {
      transaction.remove(entry.key());
    }
  }

  /** What pending writes kept goes at once; gives how many blocks that is. */
  private static long removePending(Transaction transaction, ObjectRecord record)
      throws IOException {
    if (!record.hasPending()) {
      return 0;
    }
    PendingRecords pending = transaction.pending(record);
    for (PendingRecord one : pending.records()) {
      one.kept().forEach(transaction::free);
    }
    transaction.remove(StoreKeys.pending(record.handle()));
    return pending.keptBlocks();
  }

  /**
   * Frees the extents of a small object, which are where its length says, without looking for them:
   * a scan costs more than all the rest.
   *
   * @param blocks that its extents hold
   * @return false if it is not small, or if there are more than were found
   */
  private static boolean freeFew(Transaction transaction, ObjectRecord record, long blocks)
      throws IOException {
    long pageBytes = (long) ExtentPage.BLOCKS * DataChange.BLOCK_BYTES;
    long pages = (record.componentBytes() + pageBytes - 1) / pageBytes;
    if (pages > MAX_SMALL_PAGES) {
      return false;
    }
    long left = blocks;
    for (long number = 0; number < pages && left > 0; number++) {
      left -= free(transaction, record.handle(), transaction.page(record.handle(), number));
    }
    return left == 0;
  }

  /** Frees the next pages of extents of a handle; true if none is left. */
  static boolean reap(Transaction transaction, long handle) throws IOException {
    byte[] prefix = StoreKeys.prefix(StoreKeys.EXTENTS, handle);
    List<Transaction.Entry> entries =
        transaction.scan(prefix, StoreKeys.after(prefix), PAGES_AT_ONCE);
    for (Transaction.Entry entry : entries) {
      long number = StoreKeys.numberAt(entry.key(), 1);
      free(transaction, handle, ExtentPageCodec.decode(number, entry.value()));
    }
    return entries.size() < PAGES_AT_ONCE;
  }

  /** Removes a page of extents; gives how many blocks they held. */
  private static int free(Transaction transaction, long handle, ExtentPage page) {
    if (page.extents().isEmpty()) {
      return 0;
    }
    page.extents().forEach(transaction::free);
    transaction.remove(StoreKeys.extents(handle, page.number()));
    return page.storedBlocks();
  }
}
