package org.weft.bench.rebuild.model;

import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * A clock that jumps from one event to the next. Events of one moment run in the order in which
 * they were given. As an executor it runs what it is given at the present moment, after what waits
 * for that already. Not thread-safe.
 */
final class EventQueue implements Executor {
  private record Event(long atNanos, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNanos;
  private long number;

  long nowNanos() {
    return nowNanos;
  }

  @Override
  public void execute(Runnable what) {
    at(nowNanos, what);
  }

  void at(long atNanos, Runnable what) {
    if (atNanos < nowNanos) {
      throw new IllegalArgumentException("an event at " + atNanos + ", it is " + nowNanos);
    }
    events.add(new Event(atNanos, number++, what));
  }

  /** Runs events until that holds; false if none is left before. */
  boolean runUntil(BooleanSupplier holds) {
    while (!holds.getAsBoolean()) {
      Event next = events.poll();
      if (next == null) {
        return false;
      }
      nowNanos = next.atNanos;
      next.what.run();
    }
    return true;
  }
}
