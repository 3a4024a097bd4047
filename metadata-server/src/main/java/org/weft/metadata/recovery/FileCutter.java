package org.weft.metadata.recovery;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.FailureListener;

/** Cuts files on their OSDs (P 4.3). Thread-safe. */
@FunctionalInterface
public interface FileCutter {
  /**
   * Makes zeros of what was cut off of the last stripe, and cuts the components. All of that is on
   * stable storage when it completes, on any thread. No client writes the file meanwhile. After a
   * failure a stripe may be half written.
   *
   * @param failed receives the failed components, on any thread and before the truncation has
   *     failed
   */
  CompletableFuture<Void> cut(CutFiles.Cut cut, FailureListener failed);
}
