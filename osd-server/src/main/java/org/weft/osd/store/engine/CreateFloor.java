package org.weft.osd.store.engine;

import java.io.IOException;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * Tombstones and the floor that makes them needless: a creation by a grant below the floor is
 * refused anyhow, so tombstones below it go (P 6.6). Each raise of the floor removes a bounded
 * number.
 */
final class CreateFloor {
  private static final int PURGED_AT_ONCE = 1024;

  private CreateFloor() {}

  /** Raises the floor, never lowers it; 0 leaves it. */
  static void raise(Transaction transaction, PartitionId id, long floor) throws IOException {
    if (floor == 0) {
      return;
    }
    PartitionState state = transaction.partition(id);
    if (Long.compareUnsigned(floor, state.createFloor()) > 0) {
      transaction.putPartition(new PartitionState(id, state.keys(), state.fenceEpoch(), floor));
      purge(transaction, id, floor);
    }
  }

  /** Leaves a tombstone, or the larger one that is there. */
  static void bury(Transaction transaction, ObjectName name, long lsn) throws IOException {
    long old = transaction.tombstone(name);
    if (Long.compareUnsigned(lsn, old) <= 0) {
      return;
    }
    long object = name.object().value();
    if (old != 0) {
      transaction.remove(StoreKeys.tombstoneByLsn(name.partition(), old, object));
    }
    transaction.put(StoreKeys.tombstone(name), NumberCodec.encode(lsn));
    transaction.put(StoreKeys.tombstoneByLsn(name.partition(), lsn, object), new byte[0]);
  }

  private static void purge(Transaction transaction, PartitionId id, long floor)
      throws IOException {
    for (Transaction.Entry entry :
        transaction.scan(
            StoreKeys.tombstoneByLsn(id, 0, 0),
            StoreKeys.tombstoneByLsn(id, floor, 0),
            PURGED_AT_ONCE)) {
      ObjectId object = new ObjectId(StoreKeys.numberAt(entry.key(), 2));
      transaction.remove(entry.key());
      transaction.remove(StoreKeys.tombstone(new ObjectName(id, object)));
    }
  }
}
