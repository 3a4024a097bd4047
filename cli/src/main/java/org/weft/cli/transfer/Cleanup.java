package org.weft.cli.transfer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What must not stay behind when the command is interrupted: half-written files. Thread-safe. The
 * JVM waits for these tasks a few seconds when it is told to end.
 */
final class Cleanup implements AutoCloseable {
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private final Map<Long, Runnable> tasks = new LinkedHashMap<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::interrupted, "weft-cleanup");
  private long nextNumber;
  private boolean ended;

  Cleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Something that is to be done if the process ends now; gives a number to take it back by. */
  synchronized long add(Runnable task) {
    tasks.put(nextNumber, task);
    return nextNumber++;
  }

  synchronized void remove(long number) {
    tasks.remove(number);
  }

  /** True once the process is ending: what fails now fails because of that. */
  synchronized boolean ended() {
    return ended;
  }

  private void interrupted() {
    List<Runnable> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(tasks.values());
    }
    Thread worker = new Thread(() -> run(left), "weft-cleanup-worker");
    worker.setDaemon(true);
    worker.start();
    awaitDone();
  }

  private void run(List<Runnable> left) {
    try {
      left.forEach(Runnable::run);
    } finally {
      done.countDown();
    }
  }

  private void awaitDone() {
    try {
      // Whether done or not, the process ends now.
      var unused = done.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** While the process is ending: waits for the tasks, which need the connection. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      awaitDone();
    }
  }
}
