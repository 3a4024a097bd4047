package org.weft.client.file;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FileAttributes;

/**
 * The calls on a file under its write grant, one at a time. Only writes may be under way beside
 * each other. That ends when the file is closed, given up, or one of the calls fails. The first
 * failure ends the writing: the grant is given back as abandoned, and every later call fails with
 * the same text. Only a write that left the file whole may fail alone. Also knows which length was
 * published last. Thread-safe.
 */
public final class GrantedWriting<S> {
  private enum State {
    OPEN,
    BUSY,
    ENDED
  }

  private final NamedFile<S> name;
  private final FileGrant grant;
  private final Runnable drop;
  private final String afterSessionEnded;
  private final Callbacks callbacks;

  // Guarded by this; nothing is waited for while it is held.
  private State state = State.OPEN;
  private int beside;
  private long publishedBytes;
  private WeftException failure;
  private CompletableFuture<S> closing;

  /**
   * Nothing is under way.
   *
   * @param publishedBytes the file's length, as the manager knows it
   * @param drop ends what carries the bytes, and gives its buffers back
   * @param afterSessionEnded what to do with the file when the manager no longer knows the session
   */
  public GrantedWriting(
      NamedFile<S> name,
      FileGrant grant,
      long publishedBytes,
      Runnable drop,
      String afterSessionEnded,
      Callbacks callbacks) {
    this.name = name;
    this.grant = grant;
    this.publishedBytes = publishedBytes;
    this.drop = drop;
    this.afterSessionEnded = afterSessionEnded;
    this.callbacks = callbacks;
  }

  /**
   * Makes one call.
   *
   * @throws IllegalStateException if the call before has not completed, or the file is closed
   */
  public <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> change) {
    return call(change, false, () -> false);
  }

  /**
   * Makes one write, or one read.
   *
   * @param othersToo writes of this kind may be under way at the same time
   * @param unharmed says after a failure whether the file is whole and can be written on: then this
   *     call alone has failed
   * @throws IllegalStateException if a call that does not go with it has not completed, or the file
   *     is closed
   */
  public <T> CompletableFuture<T> call(
      Supplier<CompletableFuture<T>> change, boolean othersToo, BooleanSupplier unharmed) {
    WeftException refused = begin(othersToo);
    if (refused != null) {
      return callbacks.deliverInAnyCase(CompletableFuture.failedFuture(refused));
    }
    CompletableFuture<T> done = new CompletableFuture<>();
    var unused =
        CallSequencer.begun(change)
            .whenComplete(
                (value, thrown) -> {
                  boolean goesOn = thrown == null || unharmed.getAsBoolean();
                  WeftException problem = goesOn ? null : fail(thrown);
                  idle(othersToo);
                  if (thrown == null) {
                    done.complete(value);
                  } else {
                    done.completeExceptionally(
                        goesOn ? withPath(WeftException.of(thrown)) : problem);
                  }
                });
    return callbacks.deliverInAnyCase(done);
  }

  /** Why no call can begin; null if one has begun now. */
  private WeftException begin(boolean othersToo) {
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      if (!othersToo || state == State.BUSY) {
        requireNotBusy("call one after another");
      }
      if (state == State.ENDED) {
        throw new IllegalStateException(name + ": the file is closed");
      }
      if (grant.isLive()) {
        beside += othersToo ? 1 : 0;
        state = othersToo ? State.OPEN : State.BUSY;
        return null;
      }
    }
    return fail(
        new WeftException(
            ErrorCode.SESSION_EXPIRED,
            "the session with the manager ended while the file was being written; "
                + afterSessionEnded));
  }

  private void requireNotBusy(String advice) {
    if (state == State.BUSY || beside > 0) {
      throw new IllegalStateException(name + ": the call before has not completed; " + advice);
    }
  }

  private synchronized void idle(boolean othersToo) {
    beside -= othersToo ? 1 : 0;
    if (!othersToo && state == State.BUSY) {
      state = State.OPEN;
    }
  }

  /** What was taken before, and its writer told of, has failed: every later call says so. */
  void end(WeftException why) {
    var unused = fail(why);
  }

  /** Why nothing is written any more; empty while it is, and after an orderly end. */
  synchronized Optional<WeftException> failure() {
    return failure == null ? Optional.empty() : Optional.of(again(failure));
  }

  /** Ends the writing with its first failure, and says so to the manager. */
  private WeftException fail(Throwable thrown) {
    WeftException named = withPath(WeftException.of(thrown));
    synchronized (this) {
      if (failure != null) {
        return again(failure);
      }
      failure = named;
      state = State.ENDED;
    }
    drop.run();
    // If this fails too, the end of the session does the same.
    var unused = grant.abandon();
    return named;
  }

  private WeftException withPath(WeftException cause) {
    String message = String.valueOf(cause.getMessage());
    return message.startsWith(name + ":")
        ? cause
        : new WeftException(cause.code(), name + ": " + message, cause);
  }

  private static WeftException again(WeftException first) {
    return new WeftException(first.code(), first.getMessage(), first);
  }

  /**
   * Publishes how long the file is now, unless it is as before. Part of a call.
   *
   * @return the file as its manager shows it; empty if that was not told
   */
  public CompletableFuture<Optional<FileAttributes>> publish(FileSink.Written written) {
    synchronized (this) {
      if (written.sizeBytes() == publishedBytes && !written.changed()) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
    }
    return grant
        .publish(written)
        .thenApply(
            told -> {
              published(written.sizeBytes());
              return told;
            });
  }

  /** The manager knows of this length, or asks before it tells any client. */
  synchronized void published(long sizeBytes) {
    publishedBytes = sizeBytes;
  }

  /**
   * Ends the writing. Closing again gives the same outcome.
   *
   * @param finish what is left to do, the giving back of the grant included
   * @throws IllegalStateException if the call before has not completed
   */
  public CompletableFuture<S> close(Supplier<CompletableFuture<FileAttributes>> finish) {
    return close(finish, false);
  }

  /** As {@link #close}; calls that are under way are left to the finish, which waits for them. */
  CompletableFuture<S> closeAfterOthers(Supplier<CompletableFuture<FileAttributes>> finish) {
    return close(finish, true);
  }

  private CompletableFuture<S> close(
      Supplier<CompletableFuture<FileAttributes>> finish, boolean afterOthers) {
    synchronized (this) {
      if (closing != null) {
        return callbacks.deliverInAnyCase(closing);
      }
      if (failure != null) {
        return callbacks.deliverInAnyCase(CompletableFuture.failedFuture(again(failure)));
      }
      if (!afterOthers) {
        requireNotBusy("close after it has");
      }
      state = State.ENDED;
      closing = new CompletableFuture<>();
    }
    var unused =
        CallSequencer.begun(finish)
            .thenApply(name.statusOf())
            .whenComplete(
                (status, thrown) -> {
                  if (thrown == null) {
                    closing.complete(status);
                  } else {
                    closing.completeExceptionally(fail(thrown));
                  }
                });
    return callbacks.deliverInAnyCase(closing);
  }

  /** Gives up; does nothing on a file that is closed. Completes when the manager knows. */
  public CompletableFuture<Void> abort() {
    synchronized (this) {
      if (state == State.ENDED) {
        return callbacks.deliverInAnyCase(CompletableFuture.completedFuture(null));
      }
      state = State.ENDED;
      failure = new WeftException(ErrorCode.CANCELLED, name + ": writing was given up");
    }
    drop.run();
    return callbacks.deliverInAnyCase(grant.abandon().thenApply(attributes -> null));
  }
}
