package org.weft.protocol.transport;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Deadlines of one connection's calls, behind a single timer. They are kept in steps of about 8 ms,
 * so that thousands of calls share a few entries; none fires early. Lives on the connection's event
 * loop.
 */
final class DeadlineQueue<T> {
  private static final int STEP_SHIFT = 23;

  private final Scheduler scheduler;
  private final Ticker ticker;
  private final Executor loop;
  private final Consumer<T> expired;
  private final long originNanos;
  private final TreeMap<Long, Set<T>> itemsByStep = new TreeMap<>();
  private Scheduler.Timer timer;
  private long armedStep = Long.MAX_VALUE;

  DeadlineQueue(Scheduler scheduler, Ticker ticker, Executor loop, Consumer<T> expired) {
    this.scheduler = scheduler;
    this.ticker = ticker;
    this.loop = loop;
    this.expired = expired;
    this.originNanos = ticker.nowNanos();
  }

  void add(long deadlineNanos, T item) {
    long step = stepOf(deadlineNanos);
    itemsByStep.computeIfAbsent(step, unused -> new LinkedHashSet<>()).add(item);
    if (step < armedStep) {
      arm(step);
    }
  }

  /** The timer stays: it finds nothing to do, or the next deadline. */
  void remove(long deadlineNanos, T item) {
    long step = stepOf(deadlineNanos);
    Set<T> items = itemsByStep.get(step);
    if (items != null && items.remove(item) && items.isEmpty()) {
      itemsByStep.remove(step);
    }
  }

  void close() {
    itemsByStep.clear();
    disarm();
  }

  /** The first step that begins at or after the deadline. */
  private long stepOf(long deadlineNanos) {
    return Math.max(0, (deadlineNanos - originNanos - 1) >> STEP_SHIFT) + 1;
  }

  private void arm(long step) {
    disarm();
    armedStep = step;
    long delayNanos = originNanos + (step << STEP_SHIFT) - ticker.nowNanos();
    timer = scheduler.schedule(Math.max(0, delayNanos), loop, this::fire);
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    armedStep = Long.MAX_VALUE;
  }

  private void fire() {
    armedStep = Long.MAX_VALUE;
    long nowStep = (ticker.nowNanos() - originNanos) >> STEP_SHIFT;
    while (!itemsByStep.isEmpty() && itemsByStep.firstKey() <= nowStep) {
      List.copyOf(itemsByStep.pollFirstEntry().getValue()).forEach(expired);
    }
    if (!itemsByStep.isEmpty() && itemsByStep.firstKey() < armedStep) {
      arm(itemsByStep.firstKey());
    }
  }
}
