package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.stripe.StripeUpdater;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file changed in place: {@link StripeUpdater} carries the bytes, the manager hears of lengths.
 * The first failure ends the writing: the grant is given back as abandoned, and every later call
 * fails with the same text.
 */
final class UpdatedFile implements WeftFile {
  private enum State {
    OPEN,
    BUSY,
    ENDED
  }

  /** No file ends behind this; OSDs take a little more. */
  private static final long MOST_BYTES = 1L << 60;

  private final WeftPath path;
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final Callbacks callbacks;

  // Guarded by this; nothing is waited for while it is held.
  private State state = State.OPEN;
  private long publishedBytes;
  private RpcException failure;
  private CompletableFuture<FileStatus> closing;

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
    this.publishedBytes = publishedBytes;
    this.callbacks = callbacks;
  }

  @Override
  public WeftPath path() {
    return path;
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
    return call(() -> updater.write(positionBytes, data));
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    if (sizeBytes < 0 || sizeBytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          path + ": a length must be 0.." + MOST_BYTES + ", got " + sizeBytes);
    }
    // What the manager does not know of it cannot have cut.
    return call(() -> publish().thenCompose(nothing -> resize(sizeBytes)));
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
        .setLength(new FileSink.Written(sizeBytes, updater.completeUpTo()))
        .whenComplete(
            (attributes, thrown) -> {
              if (thrown == null) {
                published(sizeBytes);
              }
            });
  }

  private CompletableFuture<Void> cut(long sizeBytes, FileAttributes journalled) {
    int truncationNumber = journalled.getTruncationNumber();
    return updater
        .cut(sizeBytes, truncationNumber)
        .thenCompose(nothing -> grant.trimmed(truncationNumber, updater.completeUpTo()))
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
    return call(() -> updater.punch(positionBytes, lengthBytes));
  }

  @Override
  public CompletableFuture<Void> hflush() {
    return call(this::publish);
  }

  @Override
  public CompletableFuture<Void> hsync() {
    return call(() -> updater.makeDurable().thenCompose(nothing -> publish()));
  }

  private CompletableFuture<Void> publish() {
    FileSink.Written written = written();
    synchronized (this) {
      if (written.sizeBytes() == publishedBytes) {
        return CompletableFuture.completedFuture(null);
      }
    }
    return grant.publish(written).thenAccept(attributes -> published(written.sizeBytes()));
  }

  private FileSink.Written written() {
    return new FileSink.Written(updater.sizeBytes(), updater.completeUpTo());
  }

  private synchronized void published(long sizeBytes) {
    publishedBytes = sizeBytes;
  }

  @Override
  public CompletableFuture<FileStatus> close() {
    synchronized (this) {
      if (closing != null) {
        return callbacks.deliver(closing);
      }
      if (failure != null) {
        return callbacks.deliver(CompletableFuture.failedFuture(again(failure)));
      }
      requireNotBusy();
      state = State.ENDED;
      closing = new CompletableFuture<>();
    }
    updater.close();
    var unused =
        grant
            .close(written())
            .whenComplete(
                (attributes, thrown) -> {
                  if (thrown == null) {
                    closing.complete(FileStatus.fromMessage(path, attributes));
                  } else {
                    closing.completeExceptionally(fail(thrown));
                  }
                });
    return callbacks.deliver(closing);
  }

  @Override
  public CompletableFuture<Void> abort() {
    synchronized (this) {
      if (state == State.ENDED) {
        return callbacks.deliver(CompletableFuture.completedFuture(null));
      }
      state = State.ENDED;
      failure = new RpcException(ErrorCode.CANCELLED, path + ": writing was given up");
    }
    updater.abandon();
    return callbacks.deliver(grant.abandon().thenApply(attributes -> null));
  }

  private CompletableFuture<Void> call(Supplier<CompletableFuture<Void>> change) {
    RpcException refused = begin();
    if (refused != null) {
      return callbacks.deliver(CompletableFuture.failedFuture(refused));
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    var unused =
        change
            .get()
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    idle();
                    done.complete(null);
                  } else {
                    done.completeExceptionally(fail(thrown));
                  }
                });
    return callbacks.deliver(done);
  }

  /** Why no call can begin; null if one has begun now. */
  private RpcException begin() {
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      requireNotBusy();
      if (state == State.ENDED) {
        throw new IllegalStateException(path + ": the file is closed");
      }
      if (grant.isLive()) {
        state = State.BUSY;
        return null;
      }
    }
    return fail(
        new RpcException(
            ErrorCode.SESSION_EXPIRED,
            "the session with the manager ended while the file was being written; open it again"));
  }

  private void requireNotBusy() {
    if (state == State.BUSY) {
      throw new IllegalStateException(
          path + ": the call before has not completed; call one after another");
    }
  }

  private synchronized void idle() {
    if (state == State.BUSY) {
      state = State.OPEN;
    }
  }

  /** Ends the writing with its first failure, and says so to the manager. */
  private RpcException fail(Throwable thrown) {
    RpcException cause = RpcException.of(thrown);
    String message = String.valueOf(cause.getMessage());
    RpcException named =
        message.startsWith(path + ":")
            ? cause
            : new RpcException(cause.code(), path + ": " + message, cause);
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      failure = named;
      state = State.ENDED;
    }
    updater.abandon();
    // If this fails too, the end of the session does the same.
    var unused = grant.abandon();
    return named;
  }

  private static RpcException again(RpcException first) {
    return new RpcException(first.code(), first.getMessage(), first);
  }
}
