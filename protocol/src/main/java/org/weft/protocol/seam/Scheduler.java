package org.weft.protocol.seam;

import java.util.concurrent.Executor;

/** All timers and executors come from here; thread-safe. */
public interface Scheduler {
  /** A timer that can be taken back. */
  interface Timer {
    /** The task will not start any more, unless it has already. */
    void cancel();
  }

  /** Runs the task once on the executor, after at least the delay. */
  Timer schedule(long delayNanos, Executor executor, Runnable task);

  /**
   * An executor that runs its tasks one after another, in the order given: the home of a
   * single-threaded state machine. In a daemon it has a thread of that name.
   */
  OwnedExecutor newSerialExecutor(String name);

  /**
   * An executor for work that may block. At most {@code threads} tasks run at once and at most
   * {@code queueLimit} wait; one more is refused with {@link
   * java.util.concurrent.RejectedExecutionException}.
   */
  OwnedExecutor newPool(String name, int threads, int queueLimit);

  /** An executor whose owner can end it. */
  interface OwnedExecutor extends Executor, AutoCloseable {
    /**
     * As {@link #execute}, for a task that is brief, never blocks, and may run on any thread. Where
     * tasks run one after another and none runs or waits, the calling thread may run the task
     * before this returns. That saves waking another thread, and what it knows is still in the
     * caches.
     */
    default void executeBrief(Runnable task) {
      execute(task);
    }

    /** Takes no new tasks and waits until those given have run. Must not be called from a task. */
    @Override
    void close();
  }
}
