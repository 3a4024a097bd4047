package org.weft.osd.harness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for a condition, with a deadline. */
public final class Eventually {
  private static final int DEADLINE_MILLIS = 30_000;
  private static final int STEP_MILLIS = 5;

  private Eventually() {}

  public static void holds(BooleanSupplier condition) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    for (int waited = 0; waited < DEADLINE_MILLIS; waited += STEP_MILLIS) {
      if (condition.getAsBoolean()) {
        return;
      }
      assertTrue(!never.await(STEP_MILLIS, TimeUnit.MILLISECONDS));
    }
    assertTrue(condition.getAsBoolean(), "the condition did not come true in time");
  }
}
