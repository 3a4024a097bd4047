package org.weft.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Lets calls come one after another: the next begins when the one before has ended, well or badly,
 * and whoever waits for that one has been told. Thread-safe.
 */
final class Turns {
  // Guarded by this: ends with the last call that asked.
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /** Makes the call when those before have ended; at once if there is none. */
  <T> CompletableFuture<T> take(Supplier<CompletableFuture<T>> call) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    CompletableFuture<Void> before;
    synchronized (this) {
      before = last;
      last = over;
    }
    CompletableFuture<T> told = new CompletableFuture<>();
    var unused =
        before
            .thenCompose(nothing -> call.get())
            .whenComplete(
                (value, thrown) -> {
                  if (thrown == null) {
                    told.complete(value);
                  } else {
                    told.completeExceptionally(thrown);
                  }
                  over.complete(null);
                });
    return told;
  }
}
