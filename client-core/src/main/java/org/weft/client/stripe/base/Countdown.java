package org.weft.client.stripe.base;

import java.util.concurrent.atomic.AtomicInteger;

/** Runs something when the last of several things has ended, in the thread that ended it. */
public final class Countdown {
  private final AtomicInteger left;
  private final Runnable then;

  /** With nothing to wait for, {@code then} runs at once. */
  public Countdown(int count, Runnable then) {
    this.left = new AtomicInteger(count);
    this.then = then;
    if (count == 0) {
      then.run();
    }
  }

  public void one() {
    if (left.decrementAndGet() == 0) {
      then.run();
    }
  }
}
