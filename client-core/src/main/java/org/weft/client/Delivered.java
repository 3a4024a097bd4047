package org.weft.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.weft.protocol.rpc.RpcException;

/**
 * An outcome on its way to the caller: it completes on the caller's executor, or on the thread of
 * the caller that waits for it with {@link Blocking}, which spares waking another in between.
 */
final class Delivered<T> extends CompletableFuture<T> {
  private final Executor executor;
  private final boolean cancellable;
  private final Consumer<T> unwanted;
  // Completes, without the outcome, when that is there, or will never be wanted.
  private final CompletableFuture<Void> arrived = new CompletableFuture<>();
  private final AtomicBoolean handedOver = new AtomicBoolean();
  private volatile boolean awaited;
  // Written before it has arrived.
  private boolean there;
  private T value;
  private RpcException failure;

  /**
   * @param unwanted gets a result that came after the caller had cancelled
   */
  Delivered(Executor executor, boolean cancellable, Consumer<T> unwanted) {
    this.executor = executor;
    this.cancellable = cancellable;
    this.unwanted = unwanted;
  }

  /** The outcome is there. Called once, on any thread. */
  void arrive(T result, Throwable thrown) {
    there = true;
    value = result;
    failure = thrown == null ? null : RpcException.of(thrown);
    boolean first = arrived.complete(null);
    // Who waits completes it; nobody waits any more after having cancelled.
    if (!awaited || !first) {
      handOverElsewhere();
    }
  }

  private void handOverElsewhere() {
    try {
      executor.execute(this::handOver);
    } catch (RejectedExecutionException e) {
      // The caller's executor is gone; who still waits has to learn it here.
      completeExceptionally(e);
    }
  }

  private void handOver() {
    if (!handedOver.compareAndSet(false, true)) {
      return;
    }
    if (failure != null) {
      completeExceptionally(failure);
    } else if (!complete(value)) {
      unwanted.accept(value);
    }
  }

  /** As {@link #get()}; what hangs on it may run on this thread. */
  T await() throws InterruptedException, ExecutionException {
    awaited = true;
    try {
      arrived.get();
    } catch (InterruptedException e) {
      awaited = false;
      if (arrived.isDone()) {
        handOverElsewhere();
      }
      throw e;
    }
    if (there) {
      handOver();
    }
    return get();
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    // One that cannot be says so, as Future#cancel may.
    boolean cancelled = cancellable && super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      arrived.complete(null);
    }
    return cancelled;
  }
}
