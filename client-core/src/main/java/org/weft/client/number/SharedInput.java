package org.weft.client.number;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Payload;

/**
 * A file that is open for reading, or being opened, for several calls. It is closed once it was
 * replaced and the last call that uses it is over: a call that was given it can read. Thread-safe.
 */
public final class SharedInput {
  /** A file that is open for reading. */
  public interface Input {
    /**
     * Reads at a position, as far as the file reaches. The caller releases what it gets, which is
     * empty at or behind the end.
     */
    CompletableFuture<Payload> read(long positionBytes, int lengthBytes);

    void close();
  }

  private final CompletableFuture<Input> opening;
  private final FetchedAhead ahead;

  // Guarded by this.
  private int users;
  private boolean replaced;

  /**
   * @param memory for what is fetched ahead
   */
  SharedInput(CompletableFuture<Input> opening, AheadMemory memory) {
    this.opening = opening;
    this.ahead = new FetchedAhead(this::readOpen, memory);
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
  CompletableFuture<Payload> read(FoundFile found, long positionBytes, int lengthBytes) {
    CompletableFuture<Payload> bytes;
    try {
      bytes =
          found.grant().isEmpty()
              ? readOpen(positionBytes, lengthBytes)
              : ahead.read(
                  found.grant().get(), found.node().sizeBytes(), positionBytes, lengthBytes);
    } catch (RuntimeException | Error e) {
      exit();
      throw e;
    }
    return bytes.whenComplete((read, thrown) -> exit());
  }

  private CompletableFuture<Payload> readOpen(long positionBytes, int lengthBytes) {
    return opening.thenCompose(input -> input.read(positionBytes, lengthBytes));
  }

  /** No call has read it for a while: what was fetched ahead is given up. */
  void rest() {
    ahead.forget();
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
    ahead.end();
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
