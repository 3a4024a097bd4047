package org.weft.osd.store.engine.state;

import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.weft.osd.store.PartitionState;
import org.weft.protocol.id.PartitionId;

/** All partitions as committed, in memory. Thread-safe; changed by the committer alone. */
public final class PartitionTable {
  private final ConcurrentNavigableMap<PartitionId, PartitionState> partitions =
      new ConcurrentSkipListMap<>();
  private final ConcurrentNavigableMap<PartitionId, Long> tombstonesFrom =
      new ConcurrentSkipListMap<>();

  /** Null if there is none. */
  public PartitionState get(PartitionId id) {
    return partitions.get(id);
  }

  /** The partition is so from now on. */
  public void put(PartitionState state) {
    partitions.put(state.id(), state);
  }

  /** The partition is no more. */
  public void remove(PartitionId id) {
    partitions.remove(id);
    tombstonesFrom.remove(id);
  }

  /** No tombstone of the partition has a smaller LSN; 0 if that is not known. */
  public long tombstonesFrom(PartitionId id) {
    return tombstonesFrom.getOrDefault(id, 0L);
  }

  /** No tombstone of the partition has a smaller LSN from now on. */
  public void tombstonesFrom(PartitionId id, long lsn) {
    tombstonesFrom.put(id, lsn);
  }

  /** All of them, by id. */
  public List<PartitionState> all() {
    return List.copyOf(partitions.values());
  }
}
