package org.weft.client.cluster;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void waitsDoubleUpToTheBoundWithJitter() {
    Backoff backoff = new Backoff(100, 1_000, new SplittableRandom(3));
    long base = 100;
    for (int attempt = 0; attempt < 50; attempt++) {
      long wait = backoff.nextNanos();
      assertTrue(wait >= base / 2 && wait <= base, wait + " of " + base);
      base = Math.min(1_000, base * 2);
    }
    backoff.reset();
    assertTrue(backoff.nextNanos() <= 100);
  }

  @Test
  void refusesWaitsThatDoNotGrow() {
    SplittableRandom random = new SplittableRandom(3);
    assertThrows(IllegalArgumentException.class, () -> new Backoff(0, 10, random));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(11, 10, random));
  }
}
