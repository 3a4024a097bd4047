package org.weft.metadata.backup;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds what all warm copies of a manager keep in memory. Thread-safe, never blocks. */
class WarmBudget {
  private final AtomicLong left;

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

  long left() {
    return left.get();
  }
}
