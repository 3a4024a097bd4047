package org.weft.metadata.help;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many components of its own volumes a manager copies now. What remains of the manager's bound
 * is for the volumes of other managers. Thread-safe.
 */
public final class CopySlots {
  private final AtomicInteger own = new AtomicInteger();

  void begin() {
    own.incrementAndGet();
  }

  void end() {
    own.decrementAndGet();
  }

  /** How many of so many components may be copied for other managers. */
  int forOthers(int atOnce) {
    return Math.max(0, atOnce - own.get());
  }
}
