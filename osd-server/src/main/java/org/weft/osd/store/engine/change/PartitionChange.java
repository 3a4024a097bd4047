package org.weft.osd.store.engine.change;

import java.util.List;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.PartitionCodec;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;

/** What SysMgr says of a partition, or a manager's fence. */
final class PartitionChange extends SmallChange {
  private final PartitionId id;
  // Null: a fence, which neither makes the partition nor touches its keys.
  private final List<WorkingKey> keys;
  private final long epoch;

  private PartitionChange(PartitionId id, List<WorkingKey> keys, long epoch) {
    this.id = id;
    this.keys = keys;
    this.epoch = epoch;
  }

  static PartitionChange update(PartitionUpdate update) throws WeftException {
    if (update.keys().size() > PartitionCodec.MAX_KEYS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a partition has at most "
              + PartitionCodec.MAX_KEYS
              + " keys, got "
              + update.keys().size());
    }
    return new PartitionChange(update.partition(), update.keys(), update.fenceEpoch());
  }

  static PartitionChange fence(PartitionId id, long epoch) {
    return new PartitionChange(id, null, epoch);
  }

  @Override
  public Staged stage(Transaction transaction) throws WeftException {
    PartitionState old = transaction.partition(id);
    if (keys == null) {
      MutationAdmission.requirePartition(old, id);
      if (epoch < old.fenceEpoch()) {
        throw new WeftException(
            ErrorCode.FENCED,
            "partition "
                + id
                + " is fenced at epoch "
                + old.fenceEpoch()
                + " already, got "
                + epoch);
      }
    }
    PartitionState known = old == null ? new PartitionState(id, List.of(), epoch, 0, 0) : old;
    PartitionState next = known.fencedAt(epoch);
    transaction.putPartition(keys == null ? next : next.withKeys(keys));
    return Staged.now(new MutationResult.Raised(next.fenceEpoch()));
  }
}
