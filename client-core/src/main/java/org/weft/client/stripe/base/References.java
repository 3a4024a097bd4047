package org.weft.client.stripe.base;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the holders of some memory: its maker at first, then also calls, the transport and what
 * keeps bytes in place of a copy. The bytes stay as they are until all holders have released them;
 * then the memory is given back. Thread-safe.
 */
public final class References {
  private final AtomicInteger holders = new AtomicInteger(1);
  private final Runnable freed;

  /**
   * Held by the caller.
   *
   * @param freed gives the memory back. It runs once, on any thread and perhaps under a lock: it
   *     must be quick, and call nothing of the file
   */
  public References(Runnable freed) {
    this.freed = freed;
  }

  /**
   * One more holder, while there is one.
   *
   * @throws IllegalStateException if the memory has been given back
   */
  public void retain() {
    if (holders.getAndUpdate(now -> now > 0 ? now + 1 : now) <= 0) {
      throw new IllegalStateException("memory is shared that has been given back");
    }
  }

  /**
   * A holder does not look at the bytes any more; each says so once.
   *
   * @throws IllegalStateException if it was given back before
   */
  public void release() {
    int left = holders.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("memory was given back twice");
    }
    if (left == 0) {
      freed.run();
    }
  }
}
