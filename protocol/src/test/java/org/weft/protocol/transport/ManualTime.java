package org.weft.protocol.transport;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** Time that passes when the test says so. Executors are real. Thread-safe. */
final class ManualTime implements Ticker, Scheduler {
  private record Task(long dueNanos, Executor executor, Runnable task) {}

  private final Scheduler executors;
  private final List<Task> tasks = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 1_000_000; // It may wrap around: only differences count.

  ManualTime(Scheduler executors) {
    this.executors = executors;
  }

  @Override
  public synchronized long nowNanos() {
    return nowNanos;
  }

  @Override
  public synchronized Timer schedule(long delayNanos, Executor executor, Runnable task) {
    Task added = new Task(nowNanos + delayNanos, executor, task);
    tasks.add(added);
    return () -> cancel(added);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  synchronized int timers() {
    return tasks.size();
  }

  /** Lets time pass and hands over, in order, what has become due. */
  void advanceMillis(long millis) {
    due(TimeUnit.MILLISECONDS.toNanos(millis)).forEach(due -> due.executor().execute(due.task()));
  }

  private synchronized List<Task> due(long nanos) {
    nowNanos += nanos;
    List<Task> due =
        tasks.stream()
            .filter(task -> task.dueNanos() - nowNanos <= 0)
            .sorted(Comparator.comparingLong(task -> task.dueNanos() - nowNanos))
            .toList();
    tasks.removeAll(due);
    return due;
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return executors.newSerialExecutor(name);
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return executors.newPool(name, threads, queueLimit);
  }
}
