package org.weft.client.stripe.base;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who still holds on to some memory: whoever made it at first, then also calls and the transport.
 * Once nobody does it is given back. Thread-safe.
 */
public final class References {
  private final AtomicInteger holders = new AtomicInteger(1);
  private final Runnable freed;

  /**
   * Held by the caller.
   *
   * @param freed gives the memory back
   */
  public References(Runnable freed) {
    this.freed = freed;
  }

  public void retain() {
    holders.incrementAndGet();
  }

  public void release() {
    if (holders.decrementAndGet() == 0) {
      freed.run();
    }
  }
}
