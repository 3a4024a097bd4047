package org.weft.protocol.system;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler;

/**
 * Timers on one thread that does nothing but hand tasks to their executors; threads are daemons.
 */
final class SystemScheduler implements Scheduler, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SystemScheduler.class);

  /** A state machine that lags by this many messages is lost; its senders learn it by a refusal. */
  private static final int SERIAL_QUEUE_LIMIT = 1 << 20;

  private final ScheduledThreadPoolExecutor timers =
      new ScheduledThreadPoolExecutor(1, new NamedThreads("weft-timer"));

  SystemScheduler() {
    timers.setRemoveOnCancelPolicy(true);
    timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    try {
      Future<?> future =
          timers.schedule(
              () -> handOver(executor, task), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      LOG.debug("the process is ending: a timer was not set");
      return () -> {};
    }
  }

  private static void handOver(Executor executor, Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("a timer fired after its executor had ended: {}", e.toString());
    }
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return new SerialExecutor(name, SERIAL_QUEUE_LIMIT);
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return threads == 1
        ? new ThreadedExecutor(name, queueLimit)
        : new LifoThreadPool(name, threads, queueLimit);
  }

  @Override
  public void close() {
    timers.shutdownNow();
  }
}
