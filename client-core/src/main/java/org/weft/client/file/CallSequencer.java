package org.weft.client.file;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Lets calls come one after another: the next begins when the one before has ended, well or badly,
 * and its waiting callers have been told. Calls that may be under way beside each other do not wait
 * for one another, but for each of the rest, which goes alone. The call that asks first begins
 * first; a call under way waits for no other call. Thread-safe, and never blocks.
 */
public final class CallSequencer {
  private record Waiting(boolean beside, Runnable begin) {}

  // Guarded by this; nothing is waited for while it is held.
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int underWay;
  private boolean alone;
  private boolean advancing;

  /** Makes the call when those before have ended; at once if there is none. */
  public <T> CompletableFuture<T> take(Supplier<CompletableFuture<T>> call) {
    return take(false, call);
  }

  /**
   * Makes the call when its turn has come; at once if that is now.
   *
   * @param beside others of which that is said, too, may be under way at the same time
   */
  public <T> CompletableFuture<T> take(boolean beside, Supplier<CompletableFuture<T>> call) {
    CompletableFuture<T> told = new CompletableFuture<>();
    Waiting mine = new Waiting(beside, () -> begin(call, told));
    synchronized (this) {
      waiting.add(mine);
    }
    advance();
    return told;
  }

  private <T> void begin(Supplier<CompletableFuture<T>> call, CompletableFuture<T> told) {
    var unused =
        begun(call)
            .whenComplete(
                (value, thrown) -> {
                  if (thrown == null) {
                    told.complete(value);
                  } else {
                    told.completeExceptionally(thrown);
                  }
                  over();
                  advance();
                });
  }

  /**
   * Whatever is thrown, want of memory too, ends the call as a failure would: it must not stay
   * under way for ever.
   */
  public static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized void over() {
    underWay--;
    alone = false;
  }

  /** A call that is over at once does not begin the next one within itself: there may be many. */
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
