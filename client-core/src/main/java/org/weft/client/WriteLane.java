package org.weft.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Keeps the writes of one file in the order in which {@code StripeUpdater} takes them: those within
 * the file may be under way beside each other, each of the rest alone. Who asks first begins first;
 * nobody who is under way waits for anybody else's write. Thread-safe, and never blocks.
 */
final class WriteLane {
  private record Waiting(boolean beside, Runnable begin) {}

  // Guarded by this; nothing is waited for while it is held.
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int underWay;
  private boolean alone;
  private boolean advancing;

  /** Makes the write when its turn has come; at once if that is now. */
  CompletableFuture<Void> take(boolean beside, Supplier<CompletableFuture<Void>> write) {
    CompletableFuture<Void> told = new CompletableFuture<>();
    Waiting mine = new Waiting(beside, () -> begin(write, told));
    synchronized (this) {
      waiting.add(mine);
    }
    advance();
    return told;
  }

  private void begin(Supplier<CompletableFuture<Void>> write, CompletableFuture<Void> told) {
    CompletableFuture<Void> written;
    try {
      written = write.get();
    } catch (RuntimeException | Error e) {
      written = CompletableFuture.failedFuture(e);
    }
    var unused =
        written.whenComplete(
            (nothing, thrown) -> {
              over();
              if (thrown == null) {
                told.complete(null);
              } else {
                told.completeExceptionally(thrown);
              }
              advance();
            });
  }

  private synchronized void over() {
    underWay--;
    alone = false;
  }

  /** A write that is over at once does not begin the next one within itself: there may be many. */
  private void advance() {
    synchronized (this) {
      if (advancing) {
        return;
      }
      advancing = true;
    }
    for (Waiting next = next(); next != null; next = next()) {
      next.begin().run();
    }
  }

  private synchronized Waiting next() {
    Waiting first = waiting.peek();
    if (first == null || alone || !first.beside() && underWay > 0) {
      advancing = false;
      return null;
    }
    waiting.remove();
    underWay++;
    alone = !first.beside();
    return first;
  }
}
