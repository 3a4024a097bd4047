package org.weft.osd.store.mutation;

import org.weft.protocol.id.PartitionId;

/**
 * FENCE: manager commands of a smaller epoch are refused from now on (P 6.2). Never lowers it; the
 * receipt has the fence in force. Always durable. Fails with FENCED (the epoch is below the fence)
 * or NO_SUCH_PARTITION.
 */
public record PartitionFence(PartitionId partition, long epoch) implements Mutation {
  @Override
  public boolean durable() {
    return true;
  }

  @Override
  public MutationKind kind() {
    return MutationKind.PARTITION_FENCE;
  }
}
