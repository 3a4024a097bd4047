package org.weft.protocol.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ClusterClockTest {
  private static final long TEN_DAYS_MILLIS = 10L * 24 * 3_600 * 1_000;
  private long ownMillis = 1_000_000_000_000L;
  private final ClusterClock clock = new ClusterClock(() -> ownMillis);

  @Test
  void aClockThatIsDaysAheadGivesSysmgrsTime() {
    long sysmgr = ownMillis - TEN_DAYS_MILLIS;
    clock.heard(sysmgr, 0);
    assertEquals(sysmgr, clock.nowMillis());
    assertEquals(ownMillis, clock.ownMillis());
  }

  @Test
  void aClockThatIsDaysBehindGivesSysmgrsTime() {
    long sysmgr = ownMillis + TEN_DAYS_MILLIS;
    clock.heard(sysmgr, 0);
    assertEquals(sysmgr, clock.nowMillis());
  }

  @Test
  void aDifferenceThatTheWayOfTheAnswerExplainsIsNone() {
    clock.heard(ownMillis - 60_000, 60_000);
    assertEquals(ownMillis, clock.nowMillis());
  }

  @Test
  void littleJittersDoNotMoveIt() {
    clock.heard(ownMillis - 9_000, 0);
    assertEquals(ownMillis, clock.nowMillis());
    clock.heard(ownMillis - TEN_DAYS_MILLIS, 0);
    clock.heard(ownMillis - TEN_DAYS_MILLIS - 1_500, 0);
    assertEquals(ownMillis - TEN_DAYS_MILLIS, clock.nowMillis());
  }

  @Test
  void aClockThatWasSetRightIsBelievedAgain() {
    long sysmgr = ownMillis - TEN_DAYS_MILLIS;
    clock.heard(sysmgr, 0);
    ownMillis = sysmgr;
    clock.heard(sysmgr, 0);
    assertEquals(sysmgr, clock.nowMillis());
  }
}
