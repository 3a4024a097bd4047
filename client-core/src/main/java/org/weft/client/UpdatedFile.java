package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeUpdater;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file changed in place: {@link StripeUpdater} carries the bytes, the manager hears of lengths.
 * {@link GrantedWriting} keeps its calls one after another.
 */
final class UpdatedFile implements WeftFile {
  /** No file ends behind this; OSDs take a little more. */
  private static final long MOST_BYTES = 1L << 60;

  private final WeftPath path;
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final GrantedWriting writing;

  /**
   * A file at rest, under its grant.
   *
   * @param publishedBytes its length, as the manager knows it
   */
  UpdatedFile(
      WeftPath path,
      StripeUpdater updater,
      HeldGrant grant,
      long publishedBytes,
      Callbacks callbacks) {
    this.path = path;
    this.updater = updater;
    this.grant = grant;
    this.writing =
        new GrantedWriting(
            path, grant, publishedBytes, updater::abandon, "open it again", callbacks);
  }

  @Override
  public WeftPath path() {
    return path;
  }

  @Override
  public long objectId() {
    return grant.objectId();
  }

  @Override
  public long sizeBytes() {
    return updater.sizeBytes();
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    if (positionBytes < 0 || positionBytes > MOST_BYTES - data.remaining()) {
      throw new IllegalArgumentException(
          path + ": a position must be 0.." + MOST_BYTES + ", got " + positionBytes);
    }
    boolean within = positionBytes + data.remaining() <= updater.sizeBytes();
    return writing.call(() -> updater.write(positionBytes, data), within, updater::isWritable);
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    if (sizeBytes < 0 || sizeBytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          path + ": a length must be 0.." + MOST_BYTES + ", got " + sizeBytes);
    }
    // What the manager does not know of it cannot have cut.
    return writing.call(() -> publish().thenCompose(nothing -> resize(sizeBytes)));
  }

  private CompletableFuture<Void> resize(long sizeBytes) {
    long before = updater.sizeBytes();
    if (sizeBytes == before) {
      return CompletableFuture.completedFuture(null);
    }
    return sizeBytes < before
        ? journal(sizeBytes).thenCompose(attributes -> cut(sizeBytes, attributes))
        : updater
            .extend(sizeBytes)
            .thenCompose(nothing -> journal(sizeBytes))
            .thenApply(attributes -> null);
  }

  private CompletableFuture<FileAttributes> journal(long sizeBytes) {
    return grant
        .setLength(new FileSink.Written(sizeBytes, updater.complete()))
        .whenComplete(
            (attributes, thrown) -> {
              if (thrown == null) {
                writing.published(sizeBytes);
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

  @Override
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    if (positionBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          path
              + ": a range must not be negative, got "
              + lengthBytes
              + " bytes at "
              + positionBytes);
    }
    return writing.call(() -> updater.punch(positionBytes, lengthBytes));
  }

  @Override
  public CompletableFuture<Void> hflush() {
    return writing.call(this::publish);
  }

  @Override
  public CompletableFuture<Void> hsync() {
    return writing.call(() -> updater.makeDurable().thenCompose(nothing -> publish()));
  }

  private CompletableFuture<Void> publish() {
    return writing.publish(written());
  }

  private FileSink.Written written() {
    return new FileSink.Written(updater.sizeBytes(), updater.complete());
  }

  @Override
  public CompletableFuture<FileStatus> close() {
    return writing.close(
        () -> {
          updater.close();
          return grant.close(written());
        });
  }

  @Override
  public CompletableFuture<Void> abort() {
    return writing.abort();
  }
}
