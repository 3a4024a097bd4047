package org.weft.client.number;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A file that is open for reading, or being opened, for several calls. It is closed once it was
 * replaced and the last call that uses it is over: a call that was given it can read. Thread-safe.
 */
public final class SharedInput {
  /** A file that is open for reading. */
  public interface Input {
    /** Reads at a position; gives how many bytes were read, -1 at or behind the end. */
    CompletableFuture<Integer> read(long positionBytes, ByteBuffer target);

    void close();
  }

  private final CompletableFuture<Input> opening;

  // Guarded by this.
  private int users;
  private boolean replaced;

  SharedInput(CompletableFuture<Input> opening) {
    this.opening = opening;
  }

  /** It could not be opened: the next call opens it anew. */
  boolean hasFailed() {
    return opening.isCompletedExceptionally();
  }

  /** A call is going to read: to be called before {@link #replaced}. */
  synchronized void enter() {
    users++;
  }

  /** The read of a call that has entered. */
  CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    return opening
        .thenCompose(input -> input.read(positionBytes, target))
        .whenComplete((count, thrown) -> exit());
  }

  private void exit() {
    boolean last;
    synchronized (this) {
      users--;
      last = replaced && users == 0;
    }
    if (last) {
      close();
    }
  }

  /** No call enters any more. */
  void replaced() {
    boolean unused;
    synchronized (this) {
      unused = !replaced && users == 0;
      replaced = true;
    }
    if (unused) {
      close();
    }
  }

  private void close() {
    var unused = opening.thenAccept(Input::close);
  }
}
