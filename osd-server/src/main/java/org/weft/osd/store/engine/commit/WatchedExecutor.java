package org.weft.osd.store.engine.commit;

import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.seam.Scheduler;

/**
 * A serial executor that tells whether a task is under way. Its end waits for the tasks, but not
 * for ever: one that hangs in the disk outlives it.
 */
public final class WatchedExecutor implements Scheduler.OwnedExecutor {
  private final Scheduler.OwnedExecutor executor;
  private final AtomicInteger running = new AtomicInteger();

  /** Watches this one, and ends it. */
  public WatchedExecutor(Scheduler.OwnedExecutor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(() -> run(task));
  }

  private void run(Runnable task) {
    running.incrementAndGet();
    try {
      task.run();
    } finally {
      running.decrementAndGet();
    }
  }

  /** No task is under way; after the end none will be. */
  public boolean isQuiet() {
    return running.get() == 0;
  }

  @Override
  public void close() {
    executor.close();
  }
}
