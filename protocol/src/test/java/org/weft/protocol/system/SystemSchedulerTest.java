package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;

@Timeout(60)
class SystemSchedulerTest {
  private final SystemScheduler scheduler = new SystemScheduler();

  @AfterEach
  void end() {
    scheduler.close();
  }

  @Test
  void serialExecutorRunsInOrderOnAThreadOfItsName() throws Exception {
    List<Integer> order = new ArrayList<>();
    List<String> threads = new ArrayList<>();
    OwnedExecutor executor = scheduler.newSerialExecutor("volume-1");
    for (int i = 0; i < 10_000; i++) {
      int number = i;
      executor.execute(
          () -> {
            order.add(number);
            threads.add(Thread.currentThread().getName());
          });
    }
    executor.close();
    assertEquals(java.util.stream.IntStream.range(0, 10_000).boxed().toList(), order);
    assertEquals(List.of("volume-1"), threads.stream().distinct().toList());
  }

  @Test
  void failedTaskDoesNotStopTheOthers() {
    AtomicInteger run = new AtomicInteger();
    OwnedExecutor executor = scheduler.newSerialExecutor("x");
    executor.execute(
        () -> {
          throw new IllegalStateException("on purpose");
        });
    executor.execute(run::incrementAndGet);
    executor.close();
    assertEquals(1, run.get());
  }

  @Test
  void poolRunsSoManyAtOnceAndRefusesWhatItCannotQueue() throws Exception {
    OwnedExecutor pool = scheduler.newPool("io", 3, 2);
    CountDownLatch running = new CountDownLatch(3);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      pool.execute(
          () -> {
            running.countDown();
            awaitQuietly(release);
            done.incrementAndGet();
          });
    }
    assertTrue(running.await(20, TimeUnit.SECONDS));
    RejectedExecutionException refusal =
        assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {}));
    assertEquals("io is overloaded: 2 tasks wait already", refusal.getMessage());
    release.countDown();
    pool.close();
    assertEquals(5, done.get());
    assertEquals(
        "io has ended",
        assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {})).getMessage());
  }

  @Test
  void aPoolWakesTheThreadThatWentToRestLast() throws Exception {
    LifoThreadPool pool = new LifoThreadPool("io", 16, 100);
    CountDownLatch all = new CountDownLatch(16);
    for (int i = 0; i < 16; i++) {
      pool.execute(
          () -> {
            all.countDown();
            awaitQuietly(all);
          });
    }
    Set<String> threads = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      PolledWait wait = PolledWait.every(Duration.ofMillis(1)).atMost(Duration.ofMinutes(1));
      assertTrue(wait.until(() -> pool.restingThreads() == 16));
      CompletableFuture<String> name = new CompletableFuture<>();
      pool.execute(() -> name.complete(Thread.currentThread().getName()));
      threads.add(name.get(20, TimeUnit.SECONDS));
    }
    pool.close();
    assertEquals(1, threads.size(), threads.toString());
  }

  /** Tasks that need each other, given by many: none is left behind while a thread rests. */
  @Test
  void aPoolNeverLeavesATaskWhileThreadsRest() throws Exception {
    OwnedExecutor pool = scheduler.newPool("io", 6, 10_000);
    List<Thread> givers = new ArrayList<>();
    AtomicInteger done = new AtomicInteger();
    for (int giver = 0; giver < 3; giver++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 3_000; i++) {
                  CountDownLatch both = new CountDownLatch(1);
                  pool.execute(
                      () -> {
                        done.incrementAndGet();
                        // Needs a second thread, beside the one that has this task.
                        pool.execute(both::countDown);
                        awaitQuietly(both);
                      });
                  awaitQuietly(both);
                }
              });
      givers.add(thread);
      thread.start();
    }
    for (Thread thread : givers) {
      thread.join();
    }
    pool.close();
    assertEquals(9_000, done.get());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void executorCannotBeClosedFromItsOwnTask() throws Exception {
    OwnedExecutor executor = scheduler.newSerialExecutor("x");
    CompletableFuture<Exception> failure = new CompletableFuture<>();
    executor.execute(
        () -> {
          try {
            executor.close();
            failure.complete(null);
          } catch (IllegalStateException e) {
            failure.complete(e);
          }
        });
    assertTrue(
        failure.get(20, TimeUnit.SECONDS).getMessage().contains("from one of its own tasks"));
    executor.close();
  }

  @Test
  void timersFireOnTheirExecutorNotBeforeTheirTime() throws Exception {
    OwnedExecutor executor = scheduler.newSerialExecutor("timed");
    CompletableFuture<String> fired = new CompletableFuture<>();
    long start = System.nanoTime();
    long delay = TimeUnit.MILLISECONDS.toNanos(30);
    scheduler.schedule(
        delay,
        executor,
        () -> {
          assertTrue(System.nanoTime() - start >= delay);
          fired.complete(Thread.currentThread().getName());
        });
    assertEquals("timed", fired.get(20, TimeUnit.SECONDS));
    executor.close();
  }

  @Test
  void cancelledTimerDoesNotFire() throws Exception {
    Queue<String> fired = new ConcurrentLinkedQueue<>();
    CompletableFuture<Void> last = new CompletableFuture<>();
    Timer cancelled =
        scheduler.schedule(
            TimeUnit.MILLISECONDS.toNanos(20), Runnable::run, () -> fired.add("cancelled"));
    scheduler.schedule(TimeUnit.MILLISECONDS.toNanos(60), Runnable::run, () -> last.complete(null));
    cancelled.cancel();
    cancelled.cancel();
    last.get(20, TimeUnit.SECONDS);
    assertTrue(fired.isEmpty());
  }

  @Test
  void timerOfAnEndedExecutorIsForgotten() throws Exception {
    OwnedExecutor executor = scheduler.newSerialExecutor("ended");
    executor.close();
    CompletableFuture<Void> last = new CompletableFuture<>();
    scheduler.schedule(0, executor, () -> last.completeExceptionally(new AssertionError()));
    scheduler.schedule(1, Runnable::run, () -> last.complete(null));
    last.get(20, TimeUnit.SECONDS);
  }

  @Test
  void environmentIsTheRealOne() {
    try (SystemEnvironment environment = SystemEnvironment.create();
        SystemEnvironment other = SystemEnvironment.create()) {
      String boot = environment.environment().bootIdentity().bootId();
      assertFalse(boot.isBlank());
      assertEquals(boot, other.environment().bootIdentity().bootId());
      assertTrue(environment.environment().random() instanceof java.security.SecureRandom);
      assertTrue(environment.environment().clock().nowMillis() > 1_700_000_000_000L);
    }
  }
}
