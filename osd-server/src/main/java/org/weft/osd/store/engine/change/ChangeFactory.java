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
 * Prepares the change of each kind of mutation. Each case throws a WeftException if the mutation is
 * refused, and {@link ShortOfSpaceException} if it finds no blocks.
 *
 * @param follows others of its unit come before it: what they change decides on it, too
 * @param durable no caller is told of it before it is on stable storage
 */
record ChangeFactory(StoreState store, boolean follows, boolean durable)
    implements Mutation.Cases<Change, IOException> {
  @Override
  public Change of(ObjectWrite write) throws IOException {
    return WriteChange.prepare(store, write, follows, durable);
  }

  @Override
  public Change of(XorExchange exchange) throws IOException {
    return WriteChange.prepare(store, exchange.write(), durable);
  }

  @Override
  public Change of(XorApplication application) throws IOException {
    return XorApplicationChange.prepare(store, application.write(), follows, durable);
  }

  @Override
  public Change of(WriteAbort abort) throws IOException {
    return AbortChange.prepare(store, abort);
  }

  @Override
  public Change of(WriteCompletion completion) throws IOException {
    return new CompletionChange(completion);
  }

  @Override
  public Change of(BlockWrite write) throws IOException {
    return BlockWriteChange.prepare(store, write);
  }

  @Override
  public Change of(AttributeUpdate update) throws IOException {
    return new AttributeChange(update, store);
  }

  @Override
  public Change of(ObjectRemoval removal) throws IOException {
    return new RemovalChange(removal);
  }

  @Override
  public Change of(BlockRelease release) throws IOException {
    return new ReleaseChange(release);
  }

  @Override
  public Change of(VersionRaise raise) {
    return new VersionChange(raise);
  }

  @Override
  public Change of(PartitionUpdate update) throws IOException {
    return PartitionChange.update(update);
  }

  @Override
  public Change of(PartitionFence fence) {
    return PartitionChange.fence(fence.partition(), fence.epoch());
  }

  @Override
  public Change of(PartitionDrop drop) {
    return new PartitionDropChange(drop.partition());
  }
}
