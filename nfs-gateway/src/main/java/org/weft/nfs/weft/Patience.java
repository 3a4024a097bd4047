package org.weft.nfs.weft;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Asks again while parts of the cluster are away. A change must be asked for again here, with the
 * number of the request: a client that is told to ask later does so under another number, and would
 * be told that its new directory exists already. Thread-safe.
 */
final class Patience {
  /** Between two attempts; each lasts as long as the client's own patience with managers. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Longer than a failure of any single part lasts; clients wait as long as it takes. */
  private static final long CHANGE_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Then the client is told to ask later, so that its user sees what it waits for. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Scheduler scheduler;
  private final Ticker ticker;

  Patience(Scheduler scheduler, Ticker ticker) {
    this.scheduler = scheduler;
    this.ticker = ticker;
  }

  /** Asks for a change, with one number in all attempts. */
  <T> CompletableFuture<T> change(Supplier<CompletableFuture<T>> request) {
    return ask(request, CHANGE_NANOS);
  }

  /** Asks for what changes nothing. */
  <T> CompletableFuture<T> look(Supplier<CompletableFuture<T>> request) {
    return ask(request, LOOK_NANOS);
  }

  private <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> request, long nanos) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    attempt(request, ticker.nowNanos() + nanos, answer);
    return answer;
  }

  private <T> void attempt(
      Supplier<CompletableFuture<T>> request, long deadlineNanos, CompletableFuture<T> answer) {
    var unused =
        request
            .get()
            .whenComplete(
                (result, failure) -> {
                  if (failure == null) {
                    answer.complete(result);
                  } else if (Failures.isOpen(failure)
                      && ticker.nowNanos() + PAUSE_NANOS - deadlineNanos < 0) {
                    scheduler.schedule(
                        PAUSE_NANOS, Runnable::run, () -> attempt(request, deadlineNanos, answer));
                  } else {
                    answer.completeExceptionally(Failures.of(failure));
                  }
                });
  }
}
