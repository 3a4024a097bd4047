package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripedFile;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.recovery.FileRecovery;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.recovery.resolve.ResolveTask;

/** Resolves with the engine that clients read and write with. Thread-safe. */
public final class StripeFileResolver implements FileResolver {
  private final FileRecovery recovery;
  private final PartitionId partition;

  public StripeFileResolver(StripeEngine engine, PartitionId partition) {
    this.recovery = new FileRecovery(engine);
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
    return recovery.resolver(file, task).resolve();
  }
}
