package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file being written as a stream, from its beginning or from its end on. One call at a time: the
 * next comes after the future of the last has completed. Others see the length that was published
 * last: by {@link #hflush}, {@link #hsync} or {@link #close}.
 *
 * <p>What is durable when:
 *
 * <ul>
 *   <li>{@link #write} has completed: nothing is promised.
 *   <li>{@link #hflush} or {@link #close} has completed: every byte written before is on every
 *       component that the file's map calls present, in the kernel of its OSD ({@code write-back})
 *       or on its disks ({@code write-through}), and its length is in the manager's journal on
 *       disk. It survives the death of this client, of the manager and of any OSD's process, and
 *       the loss of as many OSDs as the file has parity units; not a power failure of more than
 *       those within a checkpoint's time, unless the OSDs write through.
 *   <li>{@link #hsync} has completed: as above, and every byte is on the disks of those components.
 * </ul>
 *
 * <p>An OSD that is lost while the file is written delays the calls until the manager has agreed to
 * go on without it, and is not a failure, as long as the file's parity bears it (P 5.8).
 *
 * <p>The first failure ends the writing: the grant is given back as abandoned, and every later call
 * fails with the same text. What was published stays; of what was written since, some may.
 */
public final class WeftOutput {
  private enum State {
    OPEN,
    WRITING,
    ENDED
  }

  private final WeftPath path;
  private final FileSink sink;
  private final WriteGrant grant;
  private final Callbacks callbacks;

  // Guarded by this; nothing is waited for while it is held.
  private State state = State.OPEN;
  private long positionBytes;
  private long publishedBytes;
  private RpcException failure;
  private CompletableFuture<FileStatus> closing;

  /**
   * An output for a file.
   *
   * @param sizeBytes published length: writing goes on from there
   */
  WeftOutput(WeftPath path, FileSink sink, WriteGrant grant, long sizeBytes, Callbacks callbacks) {
    this.path = path;
    this.sink = sink;
    this.grant = grant;
    this.callbacks = callbacks;
    this.positionBytes = sizeBytes;
    this.publishedBytes = sizeBytes;
  }

  public WeftPath path() {
    return path;
  }

  /** How long the file is with what was taken so far. */
  public synchronized long positionBytes() {
    return positionBytes;
  }

  /**
   * Appends what remains in the buffer. Completes when the buffer may be used again; it waits while
   * more bytes are under way than the client's write window.
   *
   * @throws IllegalStateException if the write before has not completed, or the file is closed
   */
  public CompletableFuture<Void> write(ByteBuffer data) {
    int length = data.remaining();
    RpcException refused = begin();
    if (refused != null) {
      return callbacks.deliver(CompletableFuture.failedFuture(refused));
    }
    CompletableFuture<Void> taken = new CompletableFuture<>();
    var unused =
        sink.write(data)
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    taken(length);
                    taken.complete(null);
                  } else {
                    taken.completeExceptionally(fail(thrown));
                  }
                });
    return callbacks.deliver(taken);
  }

  private RpcException begin() {
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      if (state != State.OPEN) {
        throw new IllegalStateException(
            path
                + (state == State.WRITING
                    ? ": the call before has not completed; call one after another"
                    : ": the file is closed"));
      }
      if (grant.isLive()) {
        state = State.WRITING;
        return null;
      }
    }
    return fail(
        new RpcException(
            ErrorCode.SESSION_EXPIRED,
            "the session with the manager ended while the file was being written; write it again"));
  }

  private synchronized void taken(int length) {
    positionBytes += length;
    if (state == State.WRITING) {
      state = State.OPEN;
    }
  }

  /** Ends the writing with its first failure, and says so to the manager. */
  private RpcException fail(Throwable thrown) {
    RpcException cause = RpcException.of(thrown);
    RpcException named = withPath(cause);
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      failure = named;
      state = State.ENDED;
    }
    sink.drop();
    // If this fails too, the end of the session does the same.
    var unused = grant.abandon();
    return named;
  }

  private RpcException withPath(RpcException cause) {
    String message = String.valueOf(cause.getMessage());
    return message.startsWith(path + ":")
        ? cause
        : new RpcException(cause.code(), path + ": " + message, cause);
  }

  private static RpcException again(RpcException first) {
    return new RpcException(first.code(), first.getMessage(), first);
  }

  /**
   * Completes with the file as it is now published: every byte is on every component. Closing again
   * gives the same outcome.
   *
   * @throws IllegalStateException if the write before has not completed
   */
  public CompletableFuture<FileStatus> close() {
    synchronized (this) {
      if (closing != null) {
        return callbacks.deliver(closing);
      }
      if (failure != null) {
        return callbacks.deliver(CompletableFuture.failedFuture(again(failure)));
      }
      if (state == State.WRITING) {
        throw new IllegalStateException(
            path + ": the call before has not completed; close after it has");
      }
      state = State.ENDED;
      closing = new CompletableFuture<>();
    }
    finish(closing);
    return callbacks.deliver(closing);
  }

  /**
   * Completes when everything written so far is acknowledged by every component that the map calls
   * present, and its length is published: who opens the file now, or refreshes an input, can read
   * it, and it survives the death of this client. Costs one round trip to the OSDs and one to the
   * manager; neither if nothing was written since the last time.
   *
   * @throws IllegalStateException if the call before has not completed, or the file is closed
   */
  public CompletableFuture<Void> hflush() {
    return flush(false);
  }

  /** As {@link #hflush}, and everything is on stable storage. */
  public CompletableFuture<Void> hsync() {
    return flush(true);
  }

  private CompletableFuture<Void> flush(boolean onStableStorage) {
    RpcException refused = begin();
    if (refused != null) {
      return callbacks.deliver(CompletableFuture.failedFuture(refused));
    }
    CompletableFuture<Void> flushed = new CompletableFuture<>();
    var unused =
        sink.flush(onStableStorage)
            .thenCompose(this::publish)
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    taken(0);
                    flushed.complete(null);
                  } else {
                    flushed.completeExceptionally(fail(thrown));
                  }
                });
    return callbacks.deliver(flushed);
  }

  private CompletableFuture<Void> publish(FileSink.Written written) {
    synchronized (this) {
      if (written.sizeBytes() == publishedBytes) {
        return CompletableFuture.completedFuture(null);
      }
    }
    return grant.publish(written).thenAccept(attributes -> published(written.sizeBytes()));
  }

  private synchronized void published(long sizeBytes) {
    publishedBytes = sizeBytes;
  }

  private void finish(CompletableFuture<FileStatus> closed) {
    var unused =
        sink.finish()
            .thenCompose(grant::close)
            .whenComplete(
                (attributes, thrown) -> {
                  if (thrown == null) {
                    closed.complete(FileStatus.fromMessage(path, attributes));
                  } else {
                    closed.completeExceptionally(fail(thrown));
                  }
                });
  }

  /**
   * Gives up: nothing more is written; the file keeps what was published, and what else the manager
   * finds to be whole. Does nothing on a file that is closed. Completes when the manager knows.
   */
  public CompletableFuture<Void> abort() {
    synchronized (this) {
      if (state == State.ENDED) {
        return callbacks.deliver(CompletableFuture.completedFuture(null));
      }
      state = State.ENDED;
      failure = new RpcException(ErrorCode.CANCELLED, path + ": writing was given up");
    }
    sink.drop();
    CompletableFuture<FileAttributes> told = grant.abandon();
    return callbacks.deliver(told.thenApply(attributes -> null));
  }
}
