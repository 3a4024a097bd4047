package org.weft.protocol.system;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Runs tasks one after another, in the order given, on a thread of their own. A brief task runs on
 * its caller's thread while nothing else runs or waits, so that no thread need be woken. A caller's
 * thread that ran one goes on with a few of the brief tasks that came meanwhile. It leaves the rest
 * to the executor's own thread. What a task throws is logged and the next task runs.
 */
final class SerialExecutor implements OwnedExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  /** So many of others' tasks does a thread run that brought one of its own. */
  private static final int MAX_LENT = 64;

  /** The own thread is asked again only once it has left: one asking waits at most. */
  private static final int HAND_OVERS = 2;

  private record Task(Runnable body, boolean brief) {}

  private final String name;
  private final int queueLimit;
  private final ThreadedExecutor own;

  // All that follows is guarded by this.
  private final Deque<Task> queue = new ArrayDeque<>();
  // Some thread runs tasks, or the own thread has been asked to.
  private boolean running;
  private Thread lent;
  private boolean closed;

  SerialExecutor(String name, int queueLimit) {
    this.name = name;
    this.queueLimit = queueLimit;
    this.own = new ThreadedExecutor(name, HAND_OVERS);
  }

  @Override
  public void execute(Runnable body) {
    Task task = new Task(body, false);
    synchronized (this) {
      enqueue(task);
      if (running) {
        return;
      }
      running = true;
    }
    try {
      own.execute(this::drain);
    } catch (RuntimeException | Error e) {
      withdraw(task);
      throw e;
    }
  }

  @Override
  public void executeBrief(Runnable body) {
    synchronized (this) {
      if (running) {
        enqueue(new Task(body, true));
        return;
      }
      checkOpen();
      running = true;
      lent = Thread.currentThread();
    }
    own.run(body);
    int left = MAX_LENT;
    for (Task next = nextLent(left); next != null; next = nextLent(--left)) {
      own.run(next.body());
    }
  }

  private void enqueue(Task task) {
    checkOpen();
    if (queue.size() >= queueLimit) {
      throw new RejectedExecutionException(
          name + " is overloaded: " + queueLimit + " tasks wait already");
    }
    queue.addLast(task);
  }

  private void checkOpen() {
    if (closed) {
      throw new RejectedExecutionException(name + " has ended");
    }
  }

  /** The system gives no thread: the caller that brings the next task tries again. */
  private synchronized void withdraw(Task task) {
    queue.removeLastOccurrence(task);
    rest();
  }

  private void drain() {
    for (Task next = next(); next != null; next = next()) {
      own.run(next.body());
    }
  }

  private synchronized Task next() {
    Task next = queue.pollFirst();
    if (next == null) {
      rest();
    }
    return next;
  }

  /** What a thread that is not our own should run besides; null once it may go. */
  private Task nextLent(int left) {
    synchronized (this) {
      Task next = queue.peekFirst();
      if (next == null) {
        rest();
        return null;
      }
      if (next.brief() && left > 0) {
        return queue.removeFirst();
      }
      lent = null;
    }
    handOver();
    return null;
  }

  private void handOver() {
    try {
      own.execute(this::drain);
    } catch (RuntimeException | Error e) {
      LOG.error("{} has no thread; what waits runs on {}", name, Thread.currentThread(), e);
      drain();
    }
  }

  private void rest() {
    running = false;
    lent = null;
    notifyAll();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (own.isCurrent() || lent == Thread.currentThread()) {
        throw new IllegalStateException(name + " cannot be closed from one of its own tasks");
      }
      closed = true;
    }
    ExecutorShutdown.await(name, ExecutorShutdown.by(this, () -> !running));
    own.close();
  }
}
