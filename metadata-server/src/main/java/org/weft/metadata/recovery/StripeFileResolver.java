package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.resolve.ResolveOutcome;
import org.weft.client.stripe.resolve.ResolveTask;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/** Resolves with the engine that clients read and write with. Thread-safe. */
public final class StripeFileResolver implements FileResolver {
  private final StripeEngine engine;
  private final PartitionId partition;

  public StripeFileResolver(StripeEngine engine, PartitionId partition) {
    this.engine = engine;
    this.partition = partition;
  }

  @Override
  public CompletableFuture<ResolveOutcome> resolve(
      WriteGrant oldest, AbandonedFiles.Begun begun, SignedCapability capability, boolean asItIs) {
    StripedFile file =
        new StripedFile(
            new ObjectName(partition, oldest.object()), begun.map(), capability, begun.starts());
    ResolveTask task =
        new ResolveTask(
            begun.number().value(),
            begun.oldest().value(),
            begun.publishedBytes(),
            begun.truncationNumber(),
            begun.trimming(),
            asItIs,
            begun.suspects());
    return engine.resolver(file, task).resolve();
  }
}
