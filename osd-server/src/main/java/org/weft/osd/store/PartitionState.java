package org.weft.osd.store;

import java.util.List;
import java.util.Optional;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.id.PartitionId;

/**
 * A partition as stored.
 *
 * @param keys newest last
 * @param fenceEpoch manager commands of a smaller epoch are refused (P 6.2)
 * @param createFloor creations by a grant below it are refused (P 6.6)
 * @param purgeRound of the fence's epoch, the last round of flushing at whose word tombstones were
 *     forgotten: nothing is made anew for an earlier one
 */
public record PartitionState(
    PartitionId id, List<WorkingKey> keys, long fenceEpoch, long createFloor, long purgeRound) {
  public PartitionState {
    keys = List.copyOf(keys);
  }

  /** With a fence of at least that epoch; the rounds of another epoch say nothing of its own. */
  public PartitionState fencedAt(long epoch) {
    return epoch > fenceEpoch ? new PartitionState(id, keys, epoch, createFloor, 0) : this;
  }

  public PartitionState withKeys(List<WorkingKey> valid) {
    return new PartitionState(id, valid, fenceEpoch, createFloor, purgeRound);
  }

  public PartitionState withCreateFloor(long floor) {
    return new PartitionState(id, keys, fenceEpoch, floor, purgeRound);
  }

  public PartitionState purgedIn(long round) {
    return new PartitionState(id, keys, fenceEpoch, createFloor, Math.max(purgeRound, round));
  }

  /** The key of that version, if it is valid here. */
  public Optional<WorkingKey> key(int version) {
    for (WorkingKey key : keys) {
      if (key.version() == version) {
        return Optional.of(key);
      }
    }
    return Optional.empty();
  }
}
