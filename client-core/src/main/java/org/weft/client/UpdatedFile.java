package org.weft.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;

/** A file that nobody else changes meanwhile: its length may be set too (P 4.3, 5.3). */
final class UpdatedFile extends GrantedFile {
  private final StripeUpdater updater;
  private final HeldGrant grant;

  UpdatedFile(Opened opened, Callbacks callbacks) {
    super(opened, callbacks);
    this.updater = opened.updater();
    this.grant = opened.grant();
  }

  @Override
  <T> CompletableFuture<T> enter(ByteRange range, Supplier<CompletableFuture<T>> call) {
    return call.get();
  }

  @Override
  CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes) {
    return updater.punch(positionBytes, lengthBytes);
  }

  /**
   * Checks a length before anything is opened for it.
   *
   * @throws IllegalArgumentException if no file can have it
   */
  static void requireLength(WeftPath path, long sizeBytes) {
    if (!FileLimits.isFileLength(sizeBytes)) {
      throw new IllegalArgumentException(
          path + ": " + FileLimits.outsideFile("a length", sizeBytes));
    }
  }

  /** Sets the length and closes the file. If that fails the file is given up, for others. */
  static Function<WeftFile, CompletableFuture<FileStatus>> resizing(long sizeBytes) {
    return file ->
        file.setLength(sizeBytes)
            .thenCompose(nothing -> file.close())
            .exceptionallyCompose(
                thrown ->
                    file.abort()
                        .handle((nothing, unheard) -> null)
                        .thenCompose(over -> failed(thrown)));
  }

  private static CompletableFuture<FileStatus> failed(Throwable why) {
    return CompletableFuture.failedFuture(RpcException.of(why));
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    requireLength(path(), sizeBytes);
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

  /** Components must not be longer than a quota lets the file be, whoever resolves it. */
  private CompletableFuture<Void> share(long sizeBytes, AtomicBoolean refused) {
    return grant.reaches(sizeBytes)
        ? CompletableFuture.completedFuture(null)
        : grant
            .extend(sizeBytes)
            .whenComplete(
                (nothing, thrown) ->
                    refused.set(
                        thrown != null
                            && RpcException.of(thrown).code() == ErrorCode.QUOTA_EXCEEDED));
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
