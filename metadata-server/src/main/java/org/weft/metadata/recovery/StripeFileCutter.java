package org.weft.metadata.recovery;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * Cuts with the engine that clients write with, as a client does that is granted such a file. A
 * component that fails ends the attempt.
 */
public final class StripeFileCutter implements FileCutter {
  private final StripeEngine engine;
  private final PartitionId partition;
  private final CapabilityMint mint;
  private final int metaCopies;

  /**
   * @param metaCopies copies of attributes that the volume keeps
   */
  public StripeFileCutter(
      StripeEngine engine, PartitionId partition, CapabilityMint mint, int metaCopies) {
    this.engine = engine;
    this.partition = partition;
    this.mint = mint;
    this.metaCopies = metaCopies;
  }

  @Override
  public CompletableFuture<Void> cut(CutFiles.Cut cut, FailureListener failed) {
    StripedFile file =
        new StripedFile(
            new ObjectName(partition, cut.object()),
            cut.map(),
            mint.cutter(cut.object(), cut.number()));
    StripeGrant grant =
        new StripeGrant(
            cut.number().value(),
            cut.map().attributeHolders(metaCopies).size(),
            Optional.empty(),
            cut.truncation());
    StripeUpdater updater =
        engine.update(new WriteTerms(file, grant), cut.sizeBytes(), Regrants.NONE, failed);
    return updater
        .finishCut(cut.sizeBytes(), cut.truncation())
        .whenComplete(
            (nothing, thrown) -> {
              if (thrown == null) {
                updater.close();
              } else {
                updater.abandon();
              }
            });
  }
}
