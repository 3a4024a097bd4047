package org.weft.osd.store.mutation;

import org.weft.protocol.id.PartitionId;

/**
 * A partition is gone: from the first commit on no request may touch it, and each commit removes
 * some of its objects. To be repeated while the receipt says that it existed; what a crash
 * interrupts is begun again when SysMgr does not name the partition.
 */
public record PartitionDrop(PartitionId partition) implements Mutation {
  @Override
  public boolean durable() {
    return true;
  }

  @Override
  public MutationKind kind() {
    return MutationKind.PARTITION_DROP;
  }
}
