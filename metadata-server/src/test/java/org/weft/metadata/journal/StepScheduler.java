package org.weft.metadata.journal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.weft.protocol.seam.Scheduler;

/** Executors whose tasks run when the test says so, in the order given. No timers. */
final class StepScheduler implements Scheduler {
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean atOnce;

  /** From now on tasks run as they are given, like those of a thread that is idle and fast. */
  void runAtOnce() {
    runAll();
    atOnce = true;
  }

  /** Runs tasks, those that they add too, until none is left. */
  void runAll() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    throw new UnsupportedOperationException("no timers here");
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return new OwnedExecutor() {
      @Override
      public void execute(Runnable task) {
        tasks.addLast(task);
        if (atOnce) {
          runAll();
        }
      }

      @Override
      public void close() {
        runAll();
      }
    };
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return newSerialExecutor(name);
  }
}
