package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SerialExecutorTest {
  private final SerialExecutor executor = new SerialExecutor("volume-1", 1 << 20);
  private final List<String> order = new ArrayList<>();

  private Runnable note(String what) {
    return () -> order.add(what + " on " + Thread.currentThread().getName());
  }

  @Test
  void whileNothingRunsABriefTaskNeedsNoOtherThread() {
    List<Thread> threads = new ArrayList<>();
    executor.executeBrief(() -> threads.add(Thread.currentThread()));
    assertSame(Thread.currentThread(), threads.get(0));
    executor.close();
  }

  @Test
  void aLentThreadRunsBriefTasksAndLeavesTheOthersInOrder() throws Exception {
    Thread.currentThread().setName("lent");
    executor.executeBrief(
        () -> {
          order.add("first");
          executor.executeBrief(note("second"));
          executor.execute(note("third"));
          executor.executeBrief(note("fourth"));
          order.add("end of first");
        });
    executor.close();
    assertEquals(
        List.of(
            "first", "end of first", "second on lent", "third on volume-1", "fourth on volume-1"),
        order);
  }

  /** However much of it is brief: a thread that was lent is given back. */
  @Test
  void aLentThreadIsGivenBackAfterAWhile() throws Exception {
    Thread.currentThread().setName("lent");
    executor.executeBrief(
        () -> {
          for (int i = 0; i < 1_000; i++) {
            executor.executeBrief(note("task " + i));
          }
        });
    executor.close();
    assertEquals(1_000, order.size());
    assertTrue(order.get(0).endsWith("on lent"));
    assertTrue(order.get(999).endsWith("on volume-1"));
    for (int i = 0; i < 1_000; i++) {
      assertTrue(order.get(i).startsWith("task " + i + " "), order.get(i));
    }
  }

  @Test
  void whileTheOwnThreadRunsBriefTasksWaitForIt() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    executor.execute(
        () -> {
          running.countDown();
          await(release);
        });
    await(running);
    executor.executeBrief(note("brief"));
    assertTrue(order.isEmpty());
    release.countDown();
    executor.close();
    assertEquals(List.of("brief on volume-1"), order);
  }

  @Test
  void aFailedTaskStopsNeitherItsThreadNorTheOthers() {
    executor.executeBrief(
        () -> {
          executor.executeBrief(note("second"));
          throw new IllegalStateException("on purpose");
        });
    assertEquals(1, order.size());
    executor.close();
  }

  /** One at a time, and of each that brings tasks in the order in which it brought them. */
  @Test
  void manyThreadsShareOneState() throws Exception {
    int[] state = new int[1];
    int[] last = new int[4];
    boolean[] inside = new boolean[1];
    List<String> wrong = new ArrayList<>();
    List<Thread> givers = new ArrayList<>();
    for (int giver = 0; giver < 4; giver++) {
      int number = giver;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 1; i <= 50_000; i++) {
                  int turn = i;
                  Runnable task =
                      () -> {
                        if (inside[0] || last[number] != turn - 1) {
                          wrong.add(number + " at " + turn + " after " + last[number]);
                        }
                        inside[0] = true;
                        last[number] = turn;
                        state[0]++;
                        inside[0] = false;
                      };
                  if ((turn + number) % 7 == 0) {
                    executor.execute(task);
                  } else {
                    executor.executeBrief(task);
                  }
                }
              });
      givers.add(thread);
      thread.start();
    }
    for (Thread thread : givers) {
      thread.join();
    }
    executor.close();
    assertEquals(List.of(), wrong);
    assertEquals(200_000, state[0]);
  }

  @Test
  void closingWaitsForALentThread() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread lender =
        new Thread(
            () ->
                executor.executeBrief(
                    () -> {
                      running.countDown();
                      await(release);
                      order.add("done");
                    }));
    lender.start();
    await(running);
    CompletableFuture<List<String>> closed =
        CompletableFuture.supplyAsync(
            () -> {
              executor.close();
              return List.copyOf(order);
            });
    PolledWait wait = PolledWait.every(Duration.ofMillis(5)).atMost(Duration.ofMinutes(1));
    assertTrue(wait.until(this::isClosing));
    assertFalse(closed.isDone());
    release.countDown();
    assertEquals(List.of("done"), closed.get(20, TimeUnit.SECONDS));
    lender.join();
  }

  private boolean isClosing() {
    try {
      executor.executeBrief(() -> {});
      return false;
    } catch (RejectedExecutionException e) {
      assertEquals("volume-1 has ended", e.getMessage());
      return true;
    }
  }

  @Test
  void aTaskOnALentThreadCannotCloseTheExecutor() {
    executor.executeBrief(
        () -> order.add(assertThrows(IllegalStateException.class, executor::close).getMessage()));
    assertEquals(List.of("volume-1 cannot be closed from one of its own tasks"), order);
    executor.close();
  }

  @Test
  void aFullQueueRefusesAndLosesNothing() throws Exception {
    SerialExecutor small = new SerialExecutor("small", 2);
    small.executeBrief(
        () -> {
          small.execute(note("one"));
          small.executeBrief(note("two"));
          assertThrows(RejectedExecutionException.class, () -> small.execute(note("three")));
          assertThrows(RejectedExecutionException.class, () -> small.executeBrief(note("four")));
        });
    small.close();
    assertEquals(List.of("one on small", "two on small"), order);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
