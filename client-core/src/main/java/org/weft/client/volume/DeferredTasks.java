package org.weft.client.volume;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.weft.protocol.seam.Scheduler;

/**
 * Tasks of a session that wait for their time, and run at its end if that comes first. Each of them
 * holds a caller that would wait for ever without it. Thread-safe.
 */
final class DeferredTasks {
  private final Scheduler scheduler;
  private final Executor home;

  // Guarded by this.
  private final Set<Task> waiting = new LinkedHashSet<>();

  /** One task, which runs once. */
  private final class Task implements Runnable {
    private final Runnable body;

    Task(Runnable body) {
      this.body = body;
    }

    @Override
    public void run() {
      boolean isDue;
      synchronized (DeferredTasks.this) {
        isDue = waiting.remove(this);
      }
      if (isDue) {
        body.run();
      }
    }
  }

  /**
   * @param home runs the tasks while it takes any; after that the thread of the timer does
   */
  DeferredTasks(Scheduler scheduler, Executor home) {
    this.scheduler = scheduler;
    this.home = home;
  }

  /** Runs the task after a while, or at the end. */
  void add(long delayNanos, Runnable body) {
    Task task = new Task(body);
    synchronized (this) {
      waiting.add(task);
    }
    // After the end, too, it waits for its time: a task that comes early may defer itself again.
    var unused = scheduler.schedule(Math.max(0, delayNanos), this::runHere, task);
  }

  private void runHere(Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** Runs everything that waits, on the calling thread. */
  void end() {
    List<Task> now;
    synchronized (this) {
      now = List.copyOf(waiting);
    }
    now.forEach(Task::run);
  }
}
