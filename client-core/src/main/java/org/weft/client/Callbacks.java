package org.weft.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.weft.protocol.rpc.RpcException;

/**
 * Hands results over to the caller's executor, so that no code of the caller runs on our threads.
 */
final class Callbacks {
  private final Executor executor;

  Callbacks(Executor executor) {
    this.executor = executor;
  }

  /** The same outcome, on the caller's executor. */
  <T> CompletableFuture<T> deliver(CompletableFuture<T> source) {
    return deliver(source, unwanted -> {});
  }

  /**
   * The same outcome, on the caller's executor. Cancelling it does not undo what was asked for.
   *
   * @param unwanted gets a result that came after the caller had cancelled
   */
  <T> CompletableFuture<T> deliver(CompletableFuture<T> source, Consumer<T> unwanted) {
    return deliver(source, new CompletableFuture<>(), unwanted);
  }

  /**
   * The same outcome, on the caller's executor, which cannot be cancelled: for calls that go on in
   * any case, and work on the caller's buffer until they are over.
   */
  <T> CompletableFuture<T> deliverInAnyCase(CompletableFuture<T> source) {
    return deliver(source, new Uncancellable<>(), unwanted -> {});
  }

  /** Says that it cannot be cancelled, as {@link java.util.concurrent.Future#cancel} may. */
  private static final class Uncancellable<T> extends CompletableFuture<T> {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return false;
    }
  }

  private <T> CompletableFuture<T> deliver(
      CompletableFuture<T> source, CompletableFuture<T> delivered, Consumer<T> unwanted) {
    var unused = source.whenComplete((value, failure) -> hand(value, failure, delivered, unwanted));
    return delivered;
  }

  private <T> void hand(
      T value, Throwable failure, CompletableFuture<T> delivered, Consumer<T> unwanted) {
    Runnable completion =
        () -> {
          if (failure != null) {
            delivered.completeExceptionally(RpcException.of(failure));
          } else if (!delivered.complete(value)) {
            unwanted.accept(value);
          }
        };
    try {
      executor.execute(completion);
    } catch (RejectedExecutionException e) {
      // The caller's executor is gone; who still waits has to learn it here.
      delivered.completeExceptionally(e);
    }
  }
}
