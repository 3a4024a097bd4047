package org.weft.client.stripe.commit;

import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeWorld;

/**
 * Random courses of the machine of a file's writes (P 5.4, 5.8). Property {@code weft.courses} sets
 * how many; a failure names the seed.
 */
class RandomWriteCourseTest {
  private static final int COURSES = Integer.getInteger("weft.courses", 600);

  private final StripeWorld world = new StripeWorld(77, 12);

  @Test
  void everyOrderEndsOnceAndCompletesOnlyEverywhere() {
    for (long seed = 1; seed <= COURSES; seed++) {
      run(seed);
    }
  }

  private void run(long seed) {
    try {
      new WriteCourse(world, seed).run(20 + (int) (seed % 200));
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("course of seed " + seed + ": " + e.getMessage(), e);
    }
  }
}
