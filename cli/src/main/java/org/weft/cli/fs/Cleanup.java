package org.weft.cli.fs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What must not stay behind when the command is interrupted: half-written files. Thread-safe. The
 * JVM waits for these tasks a few seconds when it is told to end.
 */
final class Cleanup implements AutoCloseable {
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private final Map<Long, Runnable> tasks = new LinkedHashMap<>();
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
    Thread worker = new Thread(() -> left.forEach(Runnable::run), "weft-cleanup-worker");
    worker.setDaemon(true);
    worker.start();
    try {
      worker.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The hook runs already: the process is ending.
      return;
    }
  }
}
