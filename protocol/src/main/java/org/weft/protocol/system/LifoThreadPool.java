package org.weft.protocol.system;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * A pool that wakes its threads as seldom as it can. The thread that went to rest last is woken
 * first, since the caches still hold what it needs. While one thread wakes up no other is woken. A
 * thread that takes a task and leaves others behind wakes the next. Threads that are not needed for
 * a while end.
 *
 * <p>What a task throws is logged. Threads are never interrupted: an interrupt during IO closes the
 * {@link java.nio.channels.FileChannel} under all its other users.
 */
final class LifoThreadPool implements OwnedExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(LifoThreadPool.class);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final String name;
  private final NamedThreads threads;
  private final ThreadFactory starting;
  private final int mostThreads;
  private final int queueLimit;
  // All that follows is guarded by this.
  private final Queue<Runnable> queue = new ArrayDeque<>();
  private final Deque<Worker> resting = new ArrayDeque<>();
  private int workers;
  private int running;
  private boolean waking;
  private boolean closed;

  LifoThreadPool(String name, int mostThreads, int queueLimit) {
    this(name, mostThreads, queueLimit, UnaryOperator.identity());
  }

  /**
   * A pool whose threads may be refused, as by a system that has no more.
   *
   * @param refusing what stands between the pool and the maker of its threads
   */
  LifoThreadPool(
      String name, int mostThreads, int queueLimit, UnaryOperator<ThreadFactory> refusing) {
    this.name = name;
    this.threads = new NamedThreads(name);
    this.starting = refusing.apply(threads);
    this.mostThreads = mostThreads;
    this.queueLimit = queueLimit;
  }

  @Override
  public void execute(Runnable task) {
    Worker next;
    synchronized (this) {
      if (closed) {
        throw new RejectedExecutionException(name + " has ended");
      }
      if (running + queue.size() >= mostThreads + queueLimit) {
        throw new RejectedExecutionException(
            name + " is overloaded: " + queueLimit + " tasks wait already");
      }
      queue.add(task);
      next = nextToWake();
    }
    if (!wake(next) && takeBack(task)) {
      throw new RejectedExecutionException(
          name + " has no thread, and this process can start none: see its limits on threads");
    }
  }

  /** True if no thread of the pool will ever come to the task. */
  private synchronized boolean takeBack(Runnable task) {
    return workers == 0 && queue.remove(task);
  }

  /** How many threads wait to be woken. */
  synchronized int restingThreads() {
    return resting.size();
  }

  /** The thread that is to look for a task now: one that rests, or a new one; null if none need. */
  private Worker nextToWake() {
    if (waking || queue.isEmpty()) {
      return null;
    }
    Worker next = resting.poll();
    if (next == null && workers < mostThreads) {
      next = new Worker();
      workers++;
    }
    waking = next != null;
    return next;
  }

  /** False if a new thread is needed and the system gives none: those that run go on. */
  private boolean wake(Worker next) {
    if (next == null) {
      return true;
    }
    next.called = true;
    if (next.thread != null) {
      LockSupport.unpark(next.thread);
      return true;
    }
    try {
      next.thread = starting.newThread(next);
      next.thread.start();
      return true;
    } catch (OutOfMemoryError e) {
      LOG.debug("{}: no further thread could be started: {}", name, e.getMessage());
      lose();
      return false;
    }
  }

  /** The system gives no more threads: a thread that runs, or comes next, takes what is left. */
  private synchronized void lose() {
    workers--;
    waking = false;
    notifyAll();
  }

  /** A thread and what it waits for. */
  private final class Worker implements Runnable {
    private volatile Thread thread;
    // Another thread has taken it off the stack.
    private volatile boolean called;

    @Override
    public void run() {
      boolean woken = true;
      Runnable task = null;
      while (true) {
        task = take(woken, task != null);
        if (task != null) {
          woken = false;
          runTask(task);
        } else if (mayRest()) {
          woken = true;
        } else {
          return;
        }
      }
    }

    /** The next task; null if there is none, then this one is on the stack. */
    private Runnable take(boolean woken, boolean ended) {
      Runnable task;
      Worker next = null;
      synchronized (LifoThreadPool.this) {
        waking &= !woken;
        running -= ended ? 1 : 0;
        task = queue.poll();
        if (task != null) {
          running++;
          next = nextToWake();
        } else if (!closed) {
          called = false;
          resting.push(this);
        }
      }
      boolean unused = wake(next);
      return task;
    }

    /** False if it is over. */
    private boolean mayRest() {
      long until = System.nanoTime() + REST_NANOS;
      while (!called) {
        LockSupport.parkNanos(LifoThreadPool.this, REST_NANOS);
        if (System.nanoTime() - until >= 0 && leaves()) {
          return false;
        }
      }
      synchronized (LifoThreadPool.this) {
        if (closed && queue.isEmpty()) {
          waking = false;
          end();
          return false;
        }
      }
      return true;
    }

    /** False if another thread has called it meanwhile. */
    private boolean leaves() {
      synchronized (LifoThreadPool.this) {
        if (!resting.remove(this)) {
          return false;
        }
        end();
        return true;
      }
    }

    private void end() {
      workers--;
      LifoThreadPool.this.notifyAll();
    }
  }

  private void runTask(Runnable task) {
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
    synchronized (this) {
      closed = true;
      for (Worker worker = resting.poll(); worker != null; worker = resting.poll()) {
        worker.called = true;
        LockSupport.unpark(worker.thread);
      }
    }
    ExecutorShutdown.await(name, ExecutorShutdown.by(this, () -> workers == 0));
  }
}
