package org.weft.metadata.backup;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds what all warm copies of a manager keep in memory. Thread-safe, never blocks. */
class WarmBudget {
  private final AtomicLong left;

  private final AtomicBoolean apart = new AtomicBoolean();

  WarmBudget(long mostBytes) {
    this.left = new AtomicLong(mostBytes);
  }

  /** False, and nothing is taken, if there is not so much left. */
  boolean take(long bytes) {
    if (left.addAndGet(-bytes) >= 0) {
      return true;
    }
    left.addAndGet(bytes);
    return false;
  }

  void giveBack(long bytes) {
    left.addAndGet(bytes);
  }

  /**
   * True if the caller may keep one snapshot besides, however large, until {@link #endApart}: one
   * of all copies may at a time.
   */
  boolean takeApart() {
    return apart.compareAndSet(false, true);
  }

  void endApart() {
    apart.set(false);
  }

  long left() {
    return left.get();
  }
}
