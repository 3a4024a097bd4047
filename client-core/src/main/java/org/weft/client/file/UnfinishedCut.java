package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;

/**
 * A cut of a file that its writer began and did not finish. The next client that is granted the
 * file finishes the cut before anything else. Of those that share the file, the next that is given
 * a range does (P 4.3, 6.5.79).
 */
final class UnfinishedCut {
  private UnfinishedCut() {}

  /**
   * The file, to be changed, with nothing left of earlier cuts. After a failure the grant is to be
   * given back as abandoned: a stripe may be half written.
   */
  static CompletableFuture<StripeUpdater> finished(
      FileData data, FileAttributes attributes, Grant granted, HeldGrant grant) {
    StripeUpdater updater = data.updater(attributes, granted, grant);
    if (!granted.getHasTrim()) {
      return CompletableFuture.completedFuture(updater);
    }
    int truncationNumber = granted.getTruncationNumber();
    return updater
        .finishCut(granted.getTrim(), truncationNumber)
        .thenCompose(nothing -> grant.trimmed(truncationNumber, updater.complete()))
        .thenApply(trimmed -> updater);
  }
}
