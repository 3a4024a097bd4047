package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.List;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.PartitionId;

/**
 * Removes some more of a partition that is gone: it loses its keys first, then its objects and
 * tombstones, in the end its entry.
 */
final class PartitionDropChange extends SmallChange {
  private static final int OBJECTS_AT_ONCE = 32;
  private static final int TOMBSTONES_AT_ONCE = 512;

  private final PartitionId id;

  PartitionDropChange(PartitionId id) {
    this.id = id;
  }

  /** {@code existed} is true while there is more to remove. */
  @Override
  public Staged stage(Transaction transaction) throws IOException {
    PartitionState partition = transaction.partition(id);
    if (partition == null) {
      return Staged.DONE;
    }
    if (!partition.keys().isEmpty()) {
      transaction.putPartition(partition.withKeys(List.of()));
    }
    boolean more = removeObjects(transaction);
    more |= forget(transaction, StoreKeys.TOMBSTONE);
    more |= forget(transaction, StoreKeys.TOMBSTONE_BY_LSN);
    if (!more) {
      transaction.removePartition(id);
    }
    return Staged.now(new MutationResult.Ended(more));
  }

  private boolean removeObjects(Transaction transaction) throws IOException {
    byte[] prefix = StoreKeys.prefix(StoreKeys.OBJECT, id.value());
    List<Transaction.Entry> objects =
        transaction.scan(prefix, StoreKeys.after(prefix), OBJECTS_AT_ONCE);
    for (Transaction.Entry object : objects) {
      RemovalChange.remove(
          transaction, StoreKeys.nameOf(object.key()), ObjectRecordCodec.decode(object.value()));
    }
    return objects.size() == OBJECTS_AT_ONCE;
  }

  private boolean forget(Transaction transaction, byte kind) throws IOException {
    byte[] prefix = StoreKeys.prefix(kind, id.value());
    List<Transaction.Entry> entries =
        transaction.scan(prefix, StoreKeys.after(prefix), TOMBSTONES_AT_ONCE);
    entries.forEach(entry -> transaction.remove(entry.key()));
    return entries.size() == TOMBSTONES_AT_ONCE;
  }
}
