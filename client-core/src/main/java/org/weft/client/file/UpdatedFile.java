package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.FileAttributes;

/** A file that no other client changes meanwhile: its length may be set too (P 4.3, 5.3). */
final class UpdatedFile<S> extends GrantedFile<S> {
  private final StripeUpdater updater;
  private final HeldGrant grant;

  UpdatedFile(Opened<S> opened, Callbacks callbacks) {
    super(opened, callbacks);
    this.updater = opened.updater();
    this.grant = opened.grant();
  }

  @Override
  <T> CompletableFuture<T> enter(
      ByteRange range, RangeUse use, Supplier<CompletableFuture<T>> call) {
    return call.get();
  }

  @Override
  CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes) {
    return updater.punch(positionBytes, lengthBytes);
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    FileLengths.require(path(), sizeBytes);
    AtomicBoolean refused = new AtomicBoolean();
    // What the manager does not know of it cannot have cut.
    return alone(
        () ->
            settled()
                .thenCompose(nothing -> publish())
                .thenCompose(nothing -> resize(sizeBytes, refused)),
        refused::get);
  }

  /**
   * @param refused is set if a quota had no room, and nothing was done
   */
  private CompletableFuture<Void> resize(long sizeBytes, AtomicBoolean refused) {
    long before = updater.sizeBytes();
    if (sizeBytes == before) {
      return CompletableFuture.completedFuture(null);
    }
    return sizeBytes < before
        ? journal(sizeBytes).thenCompose(attributes -> cut(sizeBytes, attributes))
        : share(sizeBytes, refused)
            .thenCompose(nothing -> updater.extend(sizeBytes))
            .thenCompose(nothing -> journal(sizeBytes))
            .thenApply(attributes -> null);
  }

  /** Components must not be longer than a quota lets the file be, whichever manager resolves it. */
  private CompletableFuture<Void> share(long sizeBytes, AtomicBoolean refused) {
    return grant.reaches(sizeBytes)
        ? CompletableFuture.completedFuture(null)
        : grant
            .extend(sizeBytes)
            .whenComplete(
                (nothing, thrown) ->
                    refused.set(
                        thrown != null
                            && WeftException.of(thrown).code() == ErrorCode.QUOTA_EXCEEDED));
  }

  private CompletableFuture<FileAttributes> journal(long sizeBytes) {
    return grant
        .setLength(new FileSink.Written(sizeBytes, updater.complete()))
        .whenComplete(
            (attributes, thrown) -> {
              if (thrown == null) {
                writing().published(sizeBytes);
              }
            });
  }

  private CompletableFuture<Void> cut(long sizeBytes, FileAttributes journalled) {
    int truncationNumber = journalled.getTruncationNumber();
    return updater
        .cut(sizeBytes, truncationNumber)
        .thenCompose(nothing -> grant.trimmed(truncationNumber, updater.complete()))
        .thenApply(attributes -> null);
  }
}
