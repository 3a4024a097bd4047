package org.weft.osd.store.engine;

import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.weft.osd.store.PartitionState;
import org.weft.protocol.id.PartitionId;

/** All partitions as committed, in memory. Thread-safe; changed by the committer alone. */
final class PartitionTable {
  private final ConcurrentNavigableMap<PartitionId, PartitionState> partitions =
      new ConcurrentSkipListMap<>();

  /** Null if there is none. */
  PartitionState get(PartitionId id) {
    return partitions.get(id);
  }

  void put(PartitionState state) {
    partitions.put(state.id(), state);
  }

  void remove(PartitionId id) {
    partitions.remove(id);
  }

  List<PartitionState> all() {
    return List.copyOf(partitions.values());
  }
}
