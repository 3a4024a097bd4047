package org.weft.client.file;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.wire.FileAttributes;

/** The right to write one file, as the session holds it (P 6.5). */
public interface FileGrant {
  /** Of the file. */
  long objectId();

  /** False once the session that held it has ended: nothing written now can be published. */
  boolean isLive();

  /** The file may become so long without a word to the manager (P 6.6a). */
  default boolean reaches(long lengthBytes) {
    return true;
  }

  /** Completes when the file may become so long; fails with QUOTA_EXCEEDED if it may not. */
  default CompletableFuture<Void> extend(long lengthBytes) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Shows the length so far to every client that asks from now on. Gives the file as the manager
   * shows it, or nothing if the manager did not have to be told.
   */
  CompletableFuture<Optional<FileAttributes>> publish(FileSink.Written written);

  /** Publishes the length and gives the grant back. */
  CompletableFuture<FileAttributes> close(FileSink.Written written);

  /** Gives the grant back; the manager puts right what was half written. */
  CompletableFuture<FileAttributes> abandon();
}
