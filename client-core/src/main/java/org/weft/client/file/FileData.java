package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.read.ExpectedPattern;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.volume.SessionReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/** Makes the ends between which the bytes of a file travel, from what the manager granted. */
public interface FileData {
  /** For a file that has just been created, or cut to nothing. */
  FileSink sink(FileAttributes attributes, Grant grant, Regrants regrants);

  /** For what comes behind the end of a file that exists. */
  CompletableFuture<FileSink> tail(FileAttributes attributes, Grant grant, Regrants regrants);

  /** For changes at any positions of a file that exists. */
  StripeUpdater updater(FileAttributes attributes, Grant grant, Regrants regrants);

  /** Goes on behind the end of a file that was changed. */
  CompletableFuture<FileSink> tail(StripeUpdater updater);

  /** What a write grant means for the components of a file. */
  WriteTerms terms(long objectId, Grant grant);

  /**
   * For a file that was opened for reading.
   *
   * @param opened with the session that has it open
   * @param likelyEndBytes streams fetch nothing behind it before it is asked for
   * @param verifyParity only what parity confirms is delivered
   */
  FileSource source(
      SessionReply<OpenReply> opened,
      ExpectedPattern pattern,
      long likelyEndBytes,
      boolean verifyParity);
}
