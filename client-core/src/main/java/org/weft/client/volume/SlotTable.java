package org.weft.client.volume;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The reply slots of one session (P 6.4). A slot carries one request at a time; its number grows
 * with each request, so that the manager knows a retry from a new one. Pure and not thread-safe.
 */
final class SlotTable {
  /** One slot. Its number is that of the request it carries, or carried last. */
  static final class Slot {
    private final int index;
    private long sequence;

    private Slot(int index) {
      this.index = index;
    }

    int index() {
      return index;
    }

    long sequence() {
      return sequence;
    }
  }

  /** A request that waits for a slot. */
  interface Waiter {
    /** The slot is the waiter's now, with a fresh number, until it releases it. */
    void granted(Slot slot);

    /** The session is gone, and with it its slots. */
    void sessionEnded();
  }

  private final Deque<Slot> free = new ArrayDeque<>();
  private final Deque<Waiter> waiting = new ArrayDeque<>();

  SlotTable(int slots) {
    for (int index = 0; index < slots; index++) {
      free.add(new Slot(index));
    }
  }

  /** Grants a slot now or later, in the order of asking. The session bounds how many ask. */
  void acquire(Waiter waiter) {
    Slot slot = free.poll();
    if (slot == null) {
      waiting.add(waiter);
    } else {
      grant(slot, waiter);
    }
  }

  /** The waiter lost interest; true if it was still waiting. */
  boolean forget(Waiter waiter) {
    return waiting.remove(waiter);
  }

  /** The slot's request was answered, or certainly never executed: the next one may use it. */
  void release(Slot slot) {
    Waiter next = waiting.poll();
    if (next == null) {
      // Last in, first out: few slots stay in use, and the manager's cache of replies small.
      free.push(slot);
    } else {
      grant(slot, next);
    }
  }

  /** The session ended: the requests that wait are told, in order, and wait no more. */
  void end() {
    List<Waiter> drained = new ArrayList<>(waiting);
    waiting.clear();
    free.clear();
    drained.forEach(Waiter::sessionEnded);
  }

  private static void grant(Slot slot, Waiter waiter) {
    slot.sequence++;
    waiter.granted(slot);
  }
}
