package org.weft.metadata.objects;

import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** Virtual time and one thread for everything. Events of the same moment run in the order given. */
public final class SimWorld implements Scheduler, Ticker {
  private record Event(long atNanos, long order, Runnable task) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  public final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos;
  private long order;

  public SimWorld(long seed) {
    random = new Random(seed);
  }

  @Override
  public long nowNanos() {
    return nowNanos;
  }

  public void afterMillis(long millis, Runnable task) {
    events.add(new Event(nowNanos + TimeUnit.MILLISECONDS.toNanos(millis), order++, task));
  }

  /** An executor that gives each task its own event. */
  public Executor executor() {
    return task -> events.add(new Event(nowNanos, order++, task));
  }

  public void runFor(long millis) {
    long end = nowNanos + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!events.isEmpty() && events.peek().atNanos() <= end) {
      Event event = events.remove();
      nowNanos = event.atNanos();
      event.task().run();
    }
    nowNanos = end;
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    boolean[] cancelled = new boolean[1];
    events.add(
        new Event(
            nowNanos + delayNanos,
            order++,
            () -> {
              if (!cancelled[0]) {
                executor.execute(task);
              }
            }));
    return () -> cancelled[0] = true;
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    throw new UnsupportedOperationException("everything runs on the one executor");
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    throw new UnsupportedOperationException("everything runs on the one executor");
  }
}
