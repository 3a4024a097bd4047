package org.weft.client.callback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.Blocking;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.process.Await;

/** Outcomes for callers that wait, and for callers that do not. */
@Timeout(60)
class CallbackFutureTest {
  private final Queue<Runnable> executor = new ArrayDeque<>();
  private final List<String> unwanted = new ArrayList<>();
  private final CompletableFuture<String> source = new CompletableFuture<>();
  private final CompletableFuture<String> delivered =
      new Callbacks(executor::add).deliver(source, unwanted::add);

  @Test
  void withoutAWaitingThreadTheExecutorCompletesIt() {
    source.complete("value");
    assertFalse(delivered.isDone());
    executor.remove().run();
    assertEquals("value", delivered.join());
  }

  @Test
  void aWaitingThreadCompletesItAndNoOtherThreadIsAsked() throws Exception {
    CompletableFuture<Thread> ranOn = delivered.thenApply(value -> Thread.currentThread());
    CompletableFuture<String> waiting = waiting();
    source.complete("value");
    assertEquals("value", waiting.get(60, TimeUnit.SECONDS));
    assertTrue(executor.isEmpty());
    assertEquals("waiter", ranOn.join().getName());
  }

  @Test
  void allWaitingThreadsGetTheOutcome() throws Exception {
    List<CompletableFuture<String>> waiting = List.of(waiting(), waiting(), waiting());
    source.complete("value");
    for (CompletableFuture<String> each : waiting) {
      assertEquals("value", each.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void aLateThreadFindsItThere() throws Exception {
    source.complete("value");
    assertEquals("value", Blocking.await(delivered));
    // The executor comes last and has nothing left to do.
    executor.remove().run();
    assertEquals(List.of(), unwanted);
  }

  @Test
  void failuresAreToldToAWaitingThread() throws Exception {
    CompletableFuture<String> waiting = waiting();
    source.completeExceptionally(new WeftException(ErrorCode.NO_SPACE, "full"));
    WeftException refusal =
        (WeftException)
            assertThrows(Exception.class, () -> waiting.get(60, TimeUnit.SECONDS)).getCause();
    assertEquals(ErrorCode.NO_SPACE, refusal.code());
  }

  @Test
  void anInterruptedWaitLeavesTheRestToTheExecutor() {
    CompletableFuture<String> inAnyCase = new Callbacks(executor::add).deliverInAnyCase(source);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> Blocking.await(inAnyCase));
    assertTrue(Thread.interrupted());
    assertFalse(inAnyCase.isDone());
    source.complete("value");
    executor.forEach(Runnable::run);
    assertEquals("value", inAnyCase.join());
  }

  @Test
  void aWaiterOfACancelledOutcomeLeavesTheResultToOthers() {
    assertTrue(delivered.cancel(false));
    WeftException refusal = assertThrows(WeftException.class, () -> Blocking.await(delivered));
    assertEquals(ErrorCode.CANCELLED, refusal.code());
    assertEquals(List.of(), unwanted);
    source.complete("value");
    executor.forEach(Runnable::run);
    assertEquals(List.of("value"), unwanted);
  }

  @Test
  void aWaitingThreadIsToldWhenTheCallerCompletesIt() throws Exception {
    CompletableFuture<String> waiting = waiting();
    assertTrue(delivered.complete("mine"));
    assertEquals("mine", waiting.get(60, TimeUnit.SECONDS));
    source.complete("value");
    executor.forEach(Runnable::run);
    assertEquals(List.of("value"), unwanted);
  }

  @Test
  void cancellingWakesTheWaitingThreadAndTheResultIsUnwanted() throws Exception {
    CompletableFuture<String> waiting = waiting();
    assertTrue(delivered.cancel(false));
    WeftException refusal =
        (WeftException)
            assertThrows(Exception.class, () -> waiting.get(60, TimeUnit.SECONDS)).getCause();
    assertEquals(ErrorCode.CANCELLED, refusal.code());
    source.complete("value");
    executor.forEach(Runnable::run);
    assertEquals(List.of("value"), unwanted);
  }

  @Test
  void aDeliveryInAnyCaseCannotBeCancelled() {
    CompletableFuture<String> inAnyCase = new Callbacks(executor::add).deliverInAnyCase(source);
    assertFalse(inAnyCase.cancel(true));
    assertFalse(inAnyCase.isDone());
  }

  @Test
  void aFutureFailsWhereItsExecutorHasEnded() {
    RejectedExecutionException ended = new RejectedExecutionException("ended");
    CompletableFuture<String> lost =
        new Callbacks(
                task -> {
                  throw ended;
                })
            .deliver(source);
    source.complete("value");
    assertSame(ended, assertThrows(Exception.class, lost::join).getCause());
  }

  /** A thread that waits, and has begun to. */
  private CompletableFuture<String> waiting() {
    CompletableFuture<String> result = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                result.complete(Blocking.await(delivered));
              } catch (Exception e) {
                result.completeExceptionally(e);
              }
            },
            "waiter");
    waiter.setDaemon(true);
    waiter.start();
    Await.until(
        "a thread waits for the result",
        () ->
            waiter.getState() == Thread.State.WAITING
                || waiter.getState() == Thread.State.TERMINATED);
    return result;
  }

  @Test
  void aResultWithoutAnExecutorIsGivenBack() {
    Callbacks ended =
        new Callbacks(
            task -> {
              throw new RejectedExecutionException("closed");
            });
    CompletableFuture<String> unheard = ended.deliver(source, unwanted::add);
    source.complete("value");
    assertTrue(unheard.isCompletedExceptionally());
    assertEquals(List.of("value"), unwanted);
  }
}
