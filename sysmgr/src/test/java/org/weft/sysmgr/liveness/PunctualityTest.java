package org.weft.sysmgr.liveness;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PunctualityTest {
  private final Punctuality punctuality = new Punctuality();

  @Test
  void leaderKeepsUpUntilSomethingIsLate() {
    assertFalse(punctuality.ran(Punctuality.LATE_NANOS - 1, 5));
    assertTrue(punctuality.keepsUp(5));
    assertTrue(punctuality.ran(Punctuality.LATE_NANOS, 5));
    assertFalse(punctuality.keepsUp(5));
  }

  @Test
  void silenceCountsAgainWhenNothingWasLateForAWhile() {
    punctuality.ran(Punctuality.LATE_NANOS, 0);
    assertFalse(punctuality.ran(Punctuality.LATE_NANOS, 10), "no news");
    assertFalse(punctuality.keepsUp(Punctuality.CALM_NANOS));
    assertTrue(punctuality.keepsUp(Punctuality.CALM_NANOS + 10));
  }

  @Test
  void refusedHeartbeatCountsAsLate() {
    assertTrue(punctuality.refusedHeartbeat(0));
    assertFalse(punctuality.keepsUp(1));
  }
}
