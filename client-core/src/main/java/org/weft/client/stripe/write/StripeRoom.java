package org.weft.client.stripe.write;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.UnitPool;

/**
 * The memory of one writer's stripes: within its window, and out of what all streams share. A
 * writer that holds nothing always gets one stripe: see {@link UnitPool}. Thread-safe.
 */
final class StripeRoom {
  /** What came of asking for room. */
  enum Answer {
    TAKEN,
    /** There is none now. */
    NONE,
    /** The writer has ended. */
    ENDED
  }

  private final StripeContext context;
  private final long stripeBytes;
  private long heldBytes;
  private boolean ended;
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /**
   * Room for stripes.
   *
   * @param stripeBytes of memory for one stripe, parity included
   */
  StripeRoom(StripeContext context, long stripeBytes) {
    this.context = context;
    this.stripeBytes = stripeBytes;
  }

  /** Takes room for one more stripe. */
  synchronized Answer take() {
    if (ended) {
      return Answer.ENDED;
    }
    if (heldBytes == 0) {
      context.pool().reserve(stripeBytes);
    } else if (heldBytes + stripeBytes > context.options().windowBytes()
        || !context.pool().tryReserve(stripeBytes)) {
      return Answer.NONE;
    }
    heldBytes += stripeBytes;
    return Answer.TAKEN;
  }

  /** As {@link #take}; if there is none, {@code later} runs when there may be some. */
  synchronized Answer takeOrWait(Runnable later) {
    Answer answer = take();
    if (answer == Answer.NONE) {
      waiting.add(later);
    }
    return answer;
  }

  /** One stripe's memory has come back. */
  void freed() {
    context.pool().unreserve(stripeBytes);
    List<Runnable> resumed;
    synchronized (this) {
      heldBytes -= stripeBytes;
      resumed = takeWaiting();
    }
    resumed.forEach(context::executeElsewhere);
  }

  /** Ends all waiting for room; true if a call waited, which goes on now. */
  boolean end() {
    List<Runnable> resumed;
    synchronized (this) {
      ended = true;
      resumed = takeWaiting();
    }
    resumed.forEach(context::executeElsewhere);
    return !resumed.isEmpty();
  }

  private List<Runnable> takeWaiting() {
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }
}
