package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.StripedFile;
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
  public CompletableFuture<Resolved> resolve(
      WriteGrant abandoned, AbandonedFiles.Begun begun, SignedCapability capability) {
    StripedFile file =
        new StripedFile(new ObjectName(partition, abandoned.object()), begun.map(), capability);
    return engine
        .scrub(file)
        .repairSince(
            abandoned.first().value(),
            begun.number().value(),
            begun.publishedBytes(),
            begun.truncationNumber())
        .thenApply(report -> new Resolved(report.eofBytes(), report.createdComponents()));
  }
}
