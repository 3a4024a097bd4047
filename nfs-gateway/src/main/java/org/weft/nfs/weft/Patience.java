package org.weft.nfs.weft;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * How long answers are waited for while parts of the cluster are away. Thread-safe.
 *
 * <p>A change is given to Weft's client once, which asks its manager under one number until it is
 * answered. It is asked again only where the first request surely was not accepted. Otherwise a
 * second request could run first, and the first one later, on top of changes that others have made
 * since. So no answer leaves before the outcome is known. A repeat by the client of NFS meanwhile
 * waits for the same answer.
 */
final class Patience {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * Then a client that only looks is asked to come later, so that its user sees what it waits for.
   */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Scheduler scheduler;
  private final Ticker ticker;

  Patience(Scheduler scheduler, Ticker ticker) {
    this.scheduler = scheduler;
    this.ticker = ticker;
  }

  /** Asks for a change. */
  <T> CompletableFuture<T> change(Supplier<CompletableFuture<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    attemptChange(request, answer);
    return answer;
  }

  private <T> void attemptChange(
      Supplier<CompletableFuture<T>> request, CompletableFuture<T> answer) {
    var unused =
        request
            .get()
            .whenComplete(
                (result, failure) -> {
                  if (failure == null) {
                    answer.complete(result);
                  } else if (NfsFailures.wasNotTaken(failure)) {
                    later(() -> attemptChange(request, answer));
                  } else {
                    answer.completeExceptionally(NfsFailures.of(failure));
                  }
                });
  }

  /**
   * Asks for what changes nothing.
   *
   * @param late gets a result that came after the client was asked to come later
   */
  <T> CompletableFuture<T> look(Supplier<CompletableFuture<T>> request, Consumer<T> late) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    long deadlineNanos = ticker.nowNanos() + LOOK_NANOS;
    Scheduler.Timer timer =
        scheduler.schedule(
            LOOK_NANOS,
            Runnable::run,
            () -> answer.completeExceptionally(NfsFailures.later("no reply in time")));
    var unused = answer.whenComplete((result, failure) -> timer.cancel());
    attemptLook(request, deadlineNanos, answer, late);
    return answer;
  }

  private <T> void attemptLook(
      Supplier<CompletableFuture<T>> request,
      long deadlineNanos,
      CompletableFuture<T> answer,
      Consumer<T> late) {
    var unused =
        request
            .get()
            .whenComplete(
                (result, failure) -> {
                  if (failure == null) {
                    if (!answer.complete(result)) {
                      late.accept(result);
                    }
                  } else if (NfsFailures.mayPass(failure)
                      && ticker.nowNanos() + PAUSE_NANOS - deadlineNanos < 0) {
                    later(() -> attemptLook(request, deadlineNanos, answer, late));
                  } else {
                    answer.completeExceptionally(NfsFailures.of(failure));
                  }
                });
  }

  private void later(Runnable task) {
    scheduler.schedule(PAUSE_NANOS, Runnable::run, task);
  }
}
