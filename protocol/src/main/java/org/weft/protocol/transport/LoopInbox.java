package org.weft.protocol.transport;

import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Holds the tasks that other threads leave for a connection's event loop. One wake-up of the event
 * loop serves all that came until it looks. How much may lie here is for the owner to bound.
 */
final class LoopInbox<T> {
  private final Queue<T> items = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final EventLoop loop;
  private final Runnable drain;
  private final Consumer<T> drop;

  /**
   * @param drain runs on the loop and takes everything by {@link #take}
   * @param drop gets an item, on any thread, if the loop has ended
   */
  LoopInbox(EventLoop loop, Runnable drain, Consumer<T> drop) {
    this.loop = loop;
    this.drain = drain;
    this.drop = drop;
  }

  void put(T item) {
    items.add(item);
    if (woken.compareAndSet(false, true)) {
      try {
        loop.execute(this::wake);
      } catch (RejectedExecutionException e) {
        woken.set(false);
        dropAll();
      }
    }
  }

  private void wake() {
    // Cleared first: what is put from here on wakes the loop again or is seen by this drain.
    woken.set(false);
    drain.run();
  }

  /** The next item, or null. */
  T take() {
    return items.poll();
  }

  private void dropAll() {
    for (T item = items.poll(); item != null; item = items.poll()) {
      drop.accept(item);
    }
  }
}
