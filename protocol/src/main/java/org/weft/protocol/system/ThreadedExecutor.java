package org.weft.protocol.system;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * One thread behind a bounded queue. What a task throws is logged and the next task runs.
 *
 * <p>Threads are never interrupted: an interrupt during IO closes the {@link
 * java.nio.channels.FileChannel} under all its other users.
 */
final class ThreadedExecutor implements OwnedExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadedExecutor.class);

  /** Up to here the queue is an array made at once; above, it grows by nodes. */
  private static final int ARRAY_QUEUE_LIMIT = 4096;

  private final String name;
  private final NamedThreads threads;
  private final ThreadPoolExecutor pool;

  ThreadedExecutor(String name, int queueLimit) {
    this.name = name;
    this.threads = new NamedThreads(name);
    this.pool =
        new ThreadPoolExecutor(
            1,
            1,
            30,
            TimeUnit.SECONDS,
            queue(queueLimit),
            threads,
            (task, executor) -> refuse(executor, queueLimit));
  }

  private static BlockingQueue<Runnable> queue(int limit) {
    if (limit == 0) {
      return new SynchronousQueue<>();
    }
    return limit <= ARRAY_QUEUE_LIMIT
        ? new ArrayBlockingQueue<>(limit)
        : new LinkedBlockingQueue<>(limit);
  }

  private void refuse(ThreadPoolExecutor executor, int queueLimit) {
    throw new RejectedExecutionException(
        executor.isShutdown()
            ? name + " has ended"
            : name + " is overloaded: " + queueLimit + " tasks wait already");
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(() -> run(task));
  }

  /** True if the calling thread is the one behind the queue. */
  boolean isCurrent() {
    return threads.isCurrent();
  }

  /** Runs the task on the calling thread; what it throws is logged. */
  void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a task of {} failed", name, e);
    }
  }

  @Override
  public void close() {
    if (threads.isCurrent()) {
      throw new IllegalStateException(name + " cannot be closed from one of its own tasks");
    }
    pool.shutdown();
    ExecutorShutdown.await(name, nanos -> pool.awaitTermination(nanos, TimeUnit.NANOSECONDS));
  }
}
