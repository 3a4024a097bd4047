package org.weft.osd.store.mutation;

import java.util.List;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.id.PartitionId;

/**
 * What SysMgr says of a partition: makes it if it is absent, replaces its keys, raises its fence.
 * Always durable; the receipt has the fence in force.
 */
public record PartitionUpdate(PartitionId partition, List<WorkingKey> keys, long fenceEpoch)
    implements Mutation {
  public PartitionUpdate {
    keys = List.copyOf(keys);
  }

  @Override
  public boolean durable() {
    return true;
  }

  @Override
  public MutationKind kind() {
    return MutationKind.PARTITION_UPDATE;
  }
}
