package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool in a process that has as many threads as the system gives it. */
@Timeout(60)
class LifoThreadPoolTest {
  private final AtomicInteger threadsLeft = new AtomicInteger();
  private final LifoThreadPool pool = new LifoThreadPool("io", 4, 100, this::limited);

  private ThreadFactory limited(ThreadFactory threads) {
    return task -> {
      if (threadsLeft.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return threads.newThread(task);
    };
  }

  @Test
  void aTaskThatNoThreadWillEverRunIsRefused() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    RejectedExecutionException refusal =
        assertThrows(RejectedExecutionException.class, () -> pool.execute(runs::incrementAndGet));
    assertTrue(refusal.getMessage().contains("start none"), refusal.getMessage());
    threadsLeft.set(1);
    CompletableFuture<Void> later = new CompletableFuture<>();
    pool.execute(() -> later.complete(null));
    later.get(20, TimeUnit.SECONDS);
    pool.close();
    assertEquals(0, runs.get());
  }

  @Test
  void existingThreadsRunAllTasksWhenNoThreadCanStart() throws Exception {
    threadsLeft.set(1);
    CountDownLatch given = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      pool.execute(
          () -> {
            awaitQuietly(given);
            runs.incrementAndGet();
          });
    }
    given.countDown();
    pool.close();
    assertEquals(20, runs.get());
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
