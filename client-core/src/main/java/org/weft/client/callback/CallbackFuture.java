package org.weft.client.callback;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.weft.protocol.error.WeftException;

/**
 * An outcome on its way to the caller. It completes on the caller's executor, or on the caller's
 * thread that waits for it with {@link org.weft.client.Blocking}. The latter need not wake another
 * thread in between.
 */
public final class CallbackFuture<T> extends CompletableFuture<T> {
  private final Executor executor;
  private final boolean cancellable;
  private final Consumer<T> unwanted;
  // Completes when the outcome is there, and when the caller has completed this future otherwise.
  private final CompletableFuture<Void> waitIsOver = new CompletableFuture<>();
  private final AtomicBoolean handedOver = new AtomicBoolean();
  private volatile Outcome<T> outcome;
  private volatile boolean awaited;

  /** What has come; the failure is null if all is well. */
  private record Outcome<T>(T value, WeftException failure) {}

  /**
   * @param unwanted gets a result that came after the caller had cancelled
   */
  CallbackFuture(Executor executor, boolean cancellable, Consumer<T> unwanted) {
    this.executor = executor;
    this.cancellable = cancellable;
    this.unwanted = unwanted;
  }

  /** The outcome is there. Called once, on any thread. */
  void arrive(T value, Throwable thrown) {
    outcome = new Outcome<>(value, thrown == null ? null : WeftException.of(thrown));
    boolean endsTheWait = waitIsOver.complete(null);
    // The thread that this wakes hands the outcome over.
    if (!awaited || !endsTheWait) {
      handOverElsewhere();
    }
  }

  private void handOverElsewhere() {
    try {
      executor.execute(this::handOver);
    } catch (RuntimeException | Error e) {
      // The executor has ended, or has no thread: a waiting caller has to learn it here.
      completeExceptionally(e);
      handOver();
    }
  }

  private void handOver() {
    Outcome<T> arrived = outcome;
    if (arrived == null || !handedOver.compareAndSet(false, true)) {
      return;
    }
    if (arrived.failure() != null) {
      completeExceptionally(arrived.failure());
    } else if (!complete(arrived.value())) {
      unwanted.accept(arrived.value());
    }
  }

  /** As {@link #get()}; what hangs on it may run on this thread. */
  public T await() throws InterruptedException, ExecutionException {
    awaited = true;
    try {
      waitIsOver.get();
    } catch (InterruptedException e) {
      awaited = false;
      // It may have come for this thread alone.
      if (waitIsOver.isDone()) {
        handOverElsewhere();
      }
      throw e;
    }
    handOver();
    return get();
  }

  @Override
  public boolean complete(T value) {
    boolean first = super.complete(value);
    waitIsOver.complete(null);
    return first;
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    boolean first = super.completeExceptionally(failure);
    waitIsOver.complete(null);
    return first;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (!cancellable) {
      // It says so, as Future#cancel may.
      return false;
    }
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    waitIsOver.complete(null);
    return cancelled;
  }
}
