package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * A file open for reading, up to the length published when it was opened. Reads at any positions,
 * any number at a time; thread-safe. There is nothing to close: a file open for reading holds up
 * nobody.
 *
 * <p>Every byte delivered was checked against the checksums its writer made; what cannot be read
 * from one OSD is decoded from the others (P 5.6).
 */
public final class WeftInput {
  /** A file and its bytes, as one opening found them. */
  record Opened(FileStatus status, FileSource source) {}

  private final Supplier<CompletableFuture<Opened>> reopen;
  private final Callbacks callbacks;
  private final FileStatus status;
  private volatile FileSource source;

  WeftInput(Opened opened, Supplier<CompletableFuture<Opened>> reopen, Callbacks callbacks) {
    this.status = opened.status();
    this.source = opened.source();
    this.reopen = reopen;
    this.callbacks = callbacks;
  }

  /** The file as it was when it was opened. */
  public FileStatus status() {
    return status;
  }

  /**
   * Reads from the position until the buffer is full or the file ends, and moves the buffer's
   * position. The buffer must not be touched before the future has completed.
   *
   * @return how many bytes were read; -1 at or behind the end of the file
   */
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    if (positionBytes < 0) {
      throw new IllegalArgumentException(
          status.path() + ": a position must not be negative, got " + positionBytes);
    }
    long left = status.sizeBytes() - positionBytes;
    if (!target.hasRemaining() || left <= 0) {
      return callbacks.deliver(CompletableFuture.completedFuture(target.hasRemaining() ? -1 : 0));
    }
    int length = (int) Math.min(left, target.remaining());
    ByteBuffer slice = target.slice(target.position(), length);
    CompletableFuture<Integer> done = new CompletableFuture<>();
    FileSource asked = source;
    var unused =
        asked
            .read(positionBytes, slice.duplicate())
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    done.complete(advance(target, length));
                  } else {
                    retry(asked, RpcException.of(failure), positionBytes, slice, done, target);
                  }
                });
    return callbacks.deliver(done);
  }

  private static int advance(ByteBuffer target, int length) {
    target.position(target.position() + length);
    return length;
  }

  /**
   * A capability may have been revoked, or the map have changed: the file is opened again, once.
   */
  private void retry(
      FileSource failed,
      RpcException failure,
      long positionBytes,
      ByteBuffer slice,
      CompletableFuture<Integer> done,
      ByteBuffer target) {
    if (!mayHelp(failure.code())) {
      done.completeExceptionally(withPath(failure));
      return;
    }
    var unused =
        fresh(failed, failure)
            .thenCompose(again -> again.read(positionBytes, slice.duplicate()))
            .whenComplete(
                (nothing, second) -> {
                  if (second == null) {
                    done.complete(advance(target, slice.capacity()));
                  } else {
                    done.completeExceptionally(withPath(RpcException.of(second)));
                  }
                });
  }

  private static boolean mayHelp(ErrorCode code) {
    return switch (code) {
      case CAPABILITY_EXPIRED, CAPABILITY_INVALID, FENCED, GRANT_REVOKED, NO_SUCH_OBJECT -> true;
      default -> false;
    };
  }

  private CompletableFuture<FileSource> fresh(FileSource failed, RpcException failure) {
    FileSource current = source;
    if (current != failed) {
      return CompletableFuture.completedFuture(current);
    }
    return reopen
        .get()
        .thenCompose(
            opened -> {
              if (opened.status().objectId() != status.objectId()) {
                return CompletableFuture.failedFuture(
                    new RpcException(
                        failure.code(),
                        "the file was replaced by another while it was being read; open it again",
                        failure));
              }
              source = opened.source();
              return CompletableFuture.completedFuture(opened.source());
            });
  }

  private RpcException withPath(RpcException failure) {
    String message = String.valueOf(failure.getMessage());
    return message.contains(status.path().toString())
        ? failure
        : new RpcException(failure.code(), status.path() + ": " + message, failure);
  }
}
