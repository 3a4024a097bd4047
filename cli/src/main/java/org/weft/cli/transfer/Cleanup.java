package org.weft.cli.transfer;

import java.io.InterruptedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What must not stay behind when the command is interrupted: half-written files. Thread-safe. The
 * JVM waits a few seconds for these tasks when it is told to end.
 */
final class Cleanup implements AutoCloseable {
  private static final String INTERRUPTED = "interrupted";
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private final Map<Long, Runnable> tasks = new LinkedHashMap<>();
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::interrupted, "weft-cleanup");
  private long nextNumber;
  private int underWay;
  private boolean ended;

  Cleanup() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * A file is about to be written: the end of the process waits a while for {@link #end}.
   *
   * @throws InterruptedIOException if the process is ending: nothing is to be begun any more
   */
  synchronized void begin() throws InterruptedIOException {
    if (ended) {
      throw new InterruptedIOException(INTERRUPTED);
    }
    underWay++;
  }

  /** What was begun is over, in whatever way. */
  synchronized void end() {
    underWay--;
    notifyAll();
  }

  /**
   * Something that is to be done if the process ends now; gives a number to take it back by.
   *
   * @throws InterruptedIOException if the process is ending already; then it has been done
   */
  long add(Runnable task) throws InterruptedIOException {
    synchronized (this) {
      if (!ended) {
        tasks.put(nextNumber, task);
        return nextNumber++;
      }
    }
    task.run();
    throw new InterruptedIOException(INTERRUPTED);
  }

  synchronized void remove(long number) {
    tasks.remove(number);
  }

  /** True once the process is ending: what fails now fails because of that. */
  synchronized boolean ended() {
    return ended;
  }

  /** The process ends: everything that is left is done, and waited for a few seconds. */
  void interrupted() {
    List<Runnable> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(tasks.values());
    }
    // All at a time: each waits for the cluster, and there is one for each file under way.
    CountDownLatch running = new CountDownLatch(left.size());
    for (Runnable task : left) {
      Thread worker = new Thread(() -> run(task, running), "weft-cleanup-worker");
      worker.setDaemon(true);
      worker.start();
    }
    await(running);
    awaitOthers();
    done.countDown();
  }

  /** Threads that were about to write when the end came clean up themselves. */
  private synchronized void awaitOthers() {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    try {
      for (long left = PATIENCE_MILLIS; underWay > 0 && left > 0; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void run(Runnable task, CountDownLatch running) {
    try {
      task.run();
    } finally {
      running.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      // Whether done or not, the process ends now.
      var unused = latch.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** While the process is ending: waits for the tasks, which need the connection. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      await(done);
    }
  }
}
