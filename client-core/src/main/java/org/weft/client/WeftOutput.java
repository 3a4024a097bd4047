package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file being written from its beginning to its end. One write at a time: the next comes after the
 * future of the last has completed. Others see the file's length once it is closed.
 *
 * <p>When {@link #close} has completed, every component of the file has its bytes; by the cluster's
 * durability setting they are in its kernels ({@code write-back}) or on its disks ({@code
 * write-through}).
 *
 * <p>The first failure ends the writing: the grant is given back as abandoned, and every later call
 * fails with the same text. What was written until then stays, in whole stripes, until the file is
 * removed or overwritten.
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
  private RpcException failure;
  private CompletableFuture<FileStatus> closing;

  WeftOutput(WeftPath path, FileSink sink, WriteGrant grant, Callbacks callbacks) {
    this.path = path;
    this.sink = sink;
    this.grant = grant;
    this.callbacks = callbacks;
  }

  public WeftPath path() {
    return path;
  }

  /** Bytes taken so far. */
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
                    ? ": the write before has not completed; write one after another"
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
    return message.contains(path.toString())
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
            path + ": the write before has not completed; close after it has");
      }
      state = State.ENDED;
      closing = new CompletableFuture<>();
    }
    finish(closing);
    return callbacks.deliver(closing);
  }

  /**
   * Completes when everything written so far is acknowledged by every component that the map calls
   * present, and its length is published: who opens the file now can read it, and it survives the
   * death of this client. Not supported yet: fails with UNSUPPORTED.
   */
  public CompletableFuture<Void> hflush() {
    return callbacks.deliver(CompletableFuture.failedFuture(noFlush()));
  }

  /** As {@link #hflush}, and everything is on stable storage. Not supported yet. */
  public CompletableFuture<Void> hsync() {
    return callbacks.deliver(CompletableFuture.failedFuture(noFlush()));
  }

  private RpcException noFlush() {
    return new RpcException(
        ErrorCode.UNSUPPORTED, path + ": flushing an open file is not supported yet; close it");
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
   * Gives up: nothing more is written, and the file keeps what the manager finds in whole stripes.
   * Does nothing on a file that is closed. Completes when the manager knows.
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
