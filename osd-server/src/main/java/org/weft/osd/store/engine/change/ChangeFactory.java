package org.weft.osd.store.engine.change;

import java.io.IOException;
import org.weft.osd.store.engine.commit.Change;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.PartitionDrop;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;

/**
 * Prepares the change of a mutation: the one place where kinds are told apart.
 *
 * @param follows others of its unit come before it: what they change decides on it, too
 * @param durable no caller is told of it before it is on stable storage
 */
record ChangeFactory(StoreState store, boolean follows, boolean durable) {
  /**
   * Writes what is to be written before the commit.
   *
   * @throws org.weft.protocol.error.WeftException if the mutation is refused
   * @throws ShortOfSpaceException if it finds no blocks
   */
  Change prepare(Mutation mutation) throws IOException, ShortOfSpaceException {
    return switch (mutation.kind()) {
      case WRITE -> WriteChange.prepare(store, (ObjectWrite) mutation, follows, durable);
      case XOR_EXCHANGE -> WriteChange.prepare(store, ((XorExchange) mutation).write(), durable);
      case XOR_APPLICATION ->
          XorApplicationChange.prepare(
              store, ((XorApplication) mutation).write(), follows, durable);
      case ABORT -> AbortChange.prepare(store, (WriteAbort) mutation);
      case COMPLETION -> new CompletionChange((WriteCompletion) mutation);
      case BLOCK_WRITE -> BlockWriteChange.prepare(store, (BlockWrite) mutation);
      case ATTRIBUTES -> new AttributeChange((AttributeUpdate) mutation, store);
      case REMOVAL -> new RemovalChange((ObjectRemoval) mutation);
      case RELEASE -> new ReleaseChange((BlockRelease) mutation);
      case VERSION_RAISE -> new VersionChange((VersionRaise) mutation);
      case PARTITION_UPDATE -> PartitionChange.update((PartitionUpdate) mutation);
      case PARTITION_FENCE -> fence((PartitionFence) mutation);
      case PARTITION_DROP -> new PartitionDropChange(((PartitionDrop) mutation).partition());
    };
  }

  private static Change fence(PartitionFence fence) {
    return PartitionChange.fence(fence.partition(), fence.epoch());
  }
}
