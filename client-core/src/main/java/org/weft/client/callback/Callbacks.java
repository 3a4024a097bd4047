package org.weft.client.callback;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Hands results over to the caller's executor, or to a caller that waits with {@link
 * org.weft.client.Blocking}. So no code of the caller runs on our threads.
 */
public final class Callbacks {
  private final Executor executor;

  /**
   * @param executor the caller's, on which results are handed over
   */
  public Callbacks(Executor executor) {
    this.executor = executor;
  }

  /** The same outcome, on the caller's executor. */
  public <T> CompletableFuture<T> deliver(CompletableFuture<T> source) {
    return deliver(source, unwanted -> {});
  }

  /**
   * The same outcome, on the caller's executor. Cancelling it does not undo what was asked for.
   *
   * @param unwanted gets a result that came after the caller had cancelled
   */
  public <T> CompletableFuture<T> deliver(CompletableFuture<T> source, Consumer<T> unwanted) {
    return deliver(source, new CallbackFuture<>(executor, true, unwanted));
  }

  /**
   * The same outcome, on the caller's executor, which cannot be cancelled. It is for calls that go
   * on in any case, and work on the caller's buffer until they are over.
   */
  public <T> CompletableFuture<T> deliverInAnyCase(CompletableFuture<T> source) {
    return deliver(source, new CallbackFuture<>(executor, false, unwanted -> {}));
  }

  private static <T> CompletableFuture<T> deliver(
      CompletableFuture<T> source, CallbackFuture<T> delivered) {
    var unused = source.whenComplete(delivered::arrive);
    return delivered;
  }
}
