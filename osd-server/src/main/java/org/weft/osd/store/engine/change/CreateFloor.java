package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.List;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * Raises a partition's floor and removes the tombstones below it (P 6.6). A creation by a grant
 * below the floor is refused anyhow. Managers' flushes carry no grant: the partition keeps the last
 * round that made tombstones go, and an earlier one creates nothing. Each raise of the floor
 * removes a bounded number.
 */
final class CreateFloor {
  private static final int PURGED_AT_ONCE = 1024;

  private CreateFloor() {}

  /**
   * Raises the floor, never lowers it; 0 leaves it.
   *
   * @param by the manager that says so
   */
  static void raise(Transaction transaction, PartitionId id, long floor, Authority by)
      throws IOException {
    if (floor == 0) {
      return;
    }
    PartitionState state = transaction.partition(id);
    if (Long.compareUnsigned(floor, state.createFloor()) > 0) {
      PartitionState raised = state.withCreateFloor(floor);
      boolean purged = purge(transaction, id, floor);
      transaction.putPartition(purged ? raised.purgedIn(by.round()) : raised);
    }
  }

  /** Leaves a tombstone, or the larger one that is there. */
  static void bury(Transaction transaction, ObjectName name, long lsn) throws IOException {
    long old = transaction.tombstone(name);
    if (Long.compareUnsigned(lsn, old) <= 0) {
      return;
    }
    if (old != 0) {
      transaction.remove(StoreKeys.tombstoneByLsn(name.partition(), old, name.object().value()));
    }
    transaction.putTombstone(name, lsn);
    if (Long.compareUnsigned(lsn, transaction.tombstonesFrom(name.partition())) < 0) {
      transaction.tombstonesFrom(name.partition(), lsn);
    }
  }

  /**
   * True if there was any. It begins where the last purge ended. Removed keys leave a trail in the
   * key-value store, which a scan from the front would follow each time.
   */
  private static boolean purge(Transaction transaction, PartitionId id, long floor)
      throws IOException {
    long from = transaction.tombstonesFrom(id);
    if (Long.compareUnsigned(from, floor) >= 0) {
      return false;
    }
    List<Transaction.Entry> entries =
        transaction.scan(
            StoreKeys.tombstoneByLsn(id, from, 0),
            StoreKeys.tombstoneByLsn(id, floor, 0),
            PURGED_AT_ONCE);
    for (Transaction.Entry entry : entries) {
      ObjectId object = new ObjectId(StoreKeys.numberAt(entry.key(), 2));
      transaction.remove(entry.key());
      transaction.remove(StoreKeys.tombstone(new ObjectName(id, object)));
    }
    boolean more = entries.size() == PURGED_AT_ONCE;
    transaction.tombstonesFrom(
        id, more ? StoreKeys.numberAt(entries.get(entries.size() - 1).key(), 1) : floor);
    return !entries.isEmpty();
  }
}
