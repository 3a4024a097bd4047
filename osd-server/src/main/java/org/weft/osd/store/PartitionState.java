package org.weft.osd.store;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.id.PartitionId;

/**
 * A partition as stored.
 *
 * @param keys newest last
 * @param fenceEpoch manager commands of a smaller epoch are refused (P 6.2)
 * @param createFloor creations by a grant below it are refused (P 6.6)
 */
public record PartitionState(
    PartitionId id, List<WorkingKey> keys, long fenceEpoch, long createFloor) {
  public PartitionState {
    keys = List.copyOf(keys);
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
