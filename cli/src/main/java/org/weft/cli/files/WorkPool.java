package org.weft.cli.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;
import org.weft.cli.output.Failures;
import org.weft.protocol.seam.Scheduler;

/**
 * Blocking work on several files at a time. The caller that gives a task waits while the maximum
 * number of tasks is under way. A task that fails reports to the failures, and the others go on.
 */
public final class WorkPool implements AutoCloseable {
  /** One piece of work. */
  @FunctionalInterface
  public interface Task {
    void run() throws IOException;
  }

  private final Scheduler.OwnedExecutor executor;
  private final Semaphore room;
  private final int threads;
  private final Failures failures;

  public WorkPool(Scheduler scheduler, int threads, Failures failures) {
    this.threads = threads;
    this.failures = failures;
    this.executor = scheduler.newPool("weft-fs", threads, threads);
    this.room = new Semaphore(threads);
  }

  /** Runs the task on a thread of the pool; waits until one is free. */
  public void submit(Task task) throws IOException {
    acquire(1);
    executor.execute(
        () -> {
          try {
            task.run();
          } catch (IOException | RuntimeException e) {
            failures.add(e);
          } finally {
            room.release();
          }
        });
  }

  /** Waits until every task given so far has ended. */
  public void await() throws IOException {
    acquire(threads);
    room.release(threads);
  }

  private void acquire(int permits) throws IOException {
    try {
      room.acquire(permits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public void close() {
    executor.close();
  }
}
