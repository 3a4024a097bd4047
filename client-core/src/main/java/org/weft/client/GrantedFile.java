package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeUpdater;

/**
 * A file that is changed at any positions under its write grant: {@link StripeUpdater} carries the
 * bytes, the manager hears of lengths, and {@link GrantedWriting} keeps the calls in order. What
 * has to be done before the bytes may be touched is up to the kinds of it.
 */
abstract class GrantedFile implements WeftFile {
  /** No file ends behind this; OSDs take a little more. */
  static final long MOST_BYTES = 1L << 60;

  private final WeftPath path;
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final GrantedWriting writing;

  /**
   * A file at rest, under its grant.
   *
   * @param publishedBytes its length, as the manager knows it
   */
  GrantedFile(
      WeftPath path,
      StripeUpdater updater,
      HeldGrant grant,
      long publishedBytes,
      Callbacks callbacks) {
    this.path = path;
    this.updater = updater;
    this.grant = grant;
    this.writing =
        new GrantedWriting(path, grant, publishedBytes, this::drop, "open it again", callbacks);
  }

  final GrantedWriting writing() {
    return writing;
  }

  @Override
  public final WeftPath path() {
    return path;
  }

  @Override
  public final long objectId() {
    return grant.objectId();
  }

  @Override
  public final long sizeBytes() {
    return updater.sizeBytes();
  }

  @Override
  public final CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    if (positionBytes < 0 || positionBytes > MOST_BYTES - data.remaining()) {
      throw new IllegalArgumentException(
          path + ": a position must be 0.." + MOST_BYTES + ", got " + positionBytes);
    }
    boolean within = positionBytes + data.remaining() <= updater.sizeBytes();
    return writing.call(
        () ->
            data.hasRemaining()
                ? change(positionBytes, data)
                : CompletableFuture.completedFuture(null),
        within,
        this::isWritable);
  }

  /** Writes what remains in the buffer, at least one byte. */
  abstract CompletableFuture<Void> change(long positionBytes, ByteBuffer data);

  /** False once a failure has ended the writing. */
  boolean isWritable() {
    return updater.isWritable();
  }

  @Override
  public final CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    if (positionBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          path
              + ": a range must not be negative, got "
              + lengthBytes
              + " bytes at "
              + positionBytes);
    }
    return writing.call(
        () ->
            lengthBytes > 0
                ? makeZeros(positionBytes, lengthBytes)
                : CompletableFuture.completedFuture(null));
  }

  /** Makes zeros of a range of at least one byte, as far as the file reaches. */
  abstract CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes);

  @Override
  public final CompletableFuture<Void> hflush() {
    return writing.call(this::publish);
  }

  @Override
  public final CompletableFuture<Void> hsync() {
    return writing.call(() -> updater.makeDurable().thenCompose(nothing -> publish()));
  }

  /** Tells the manager how long the file is now, unless it knows. Part of a call. */
  final CompletableFuture<Void> publish() {
    return writing.publish(written());
  }

  /** What is complete now. */
  final FileSink.Written written() {
    return new FileSink.Written(updater.sizeBytes(), updater.complete());
  }

  /** No call comes any more. */
  void leave() {}

  private void drop() {
    leave();
    updater.abandon();
  }

  @Override
  public final CompletableFuture<FileStatus> close() {
    return writing.close(
        () -> {
          leave();
          updater.close();
          return grant.close(written());
        });
  }

  @Override
  public final CompletableFuture<Void> abort() {
    return writing.abort();
  }
}
