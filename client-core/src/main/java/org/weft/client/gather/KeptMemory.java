package org.weft.client.gather;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of bytes that are to be written, which belongs to others and is kept in place of a copy.
 * Nobody changes the bytes until it goes back: once its first owner, and all who share it, have
 * given it back. Thread-safe.
 */
public final class KeptMemory {
  private final Runnable gone;
  private final AtomicInteger owners = new AtomicInteger(1);

  /**
   * The caller is the first owner.
   *
   * @param gone runs once, on any thread and perhaps under a lock, when nobody looks at the bytes
   *     any more: it must be quick, and call nothing of the file
   */
  public KeptMemory(Runnable gone) {
    this.gone = gone;
  }

  /** One more owner, while there is one. */
  void share() {
    if (owners.getAndUpdate(now -> now > 0 ? now + 1 : now) <= 0) {
      throw new IllegalStateException("memory is shared that has gone back");
    }
  }

  /** An owner does not look at the bytes any more; each says so once. */
  public void giveBack() {
    int left = owners.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("memory was given back twice");
    }
    if (left == 0) {
      gone.run();
    }
  }
}
