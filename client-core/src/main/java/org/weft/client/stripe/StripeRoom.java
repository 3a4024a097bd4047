package org.weft.client.stripe;

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

  private final StripeEngine engine;
  private final long stripeBytes;
  private long heldBytes;
  private boolean ended;
  private Runnable waiting;

  /**
   * Room for stripes.
   *
   * @param stripeBytes of memory for one stripe, parity included
   */
  StripeRoom(StripeEngine engine, long stripeBytes) {
    this.engine = engine;
    this.stripeBytes = stripeBytes;
  }

  /** Takes room for one more stripe. */
  synchronized Answer take() {
    if (ended) {
      return Answer.ENDED;
    }
    if (heldBytes == 0) {
      engine.pool().reserve(stripeBytes);
    } else if (heldBytes + stripeBytes > engine.options().windowBytes()
        || !engine.pool().tryReserve(stripeBytes)) {
      return Answer.NONE;
    }
    heldBytes += stripeBytes;
    return Answer.TAKEN;
  }

  /** As {@link #take}; if there is none, {@code later} runs when there may be some. */
  synchronized Answer takeOrWait(Runnable later) {
    Answer answer = take();
    if (answer == Answer.NONE) {
      waiting = later;
    }
    return answer;
  }

  /** One stripe's memory has come back. */
  void freed() {
    engine.pool().unreserve(stripeBytes);
    Runnable resumed;
    synchronized (this) {
      heldBytes -= stripeBytes;
      resumed = waiting;
      waiting = null;
    }
    resume(resumed);
  }

  /** Nobody waits for room any more; true if somebody did, who goes on now. */
  boolean end() {
    Runnable resumed;
    synchronized (this) {
      ended = true;
      resumed = waiting;
      waiting = null;
    }
    resume(resumed);
    return resumed != null;
  }

  private void resume(Runnable resumed) {
    if (resumed != null) {
      engine.executeElsewhere(resumed);
    }
  }
}
