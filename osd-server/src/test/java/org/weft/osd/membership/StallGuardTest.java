package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/**
 * An OSD that stood still for longer than SysMgr waits serves no clients until SysMgr has answered.
 */
class StallGuardTest {
  private static final int DOWN_MILLIS = 6_000;

  private final VirtualTime time = new VirtualTime(1);
  private final SimProcess process = new SimProcess(time, new VirtualWire(time, 1), "osd", 1);
  private final Environment environment =
      new Environment(
          time,
          time,
          process.environment().scheduler(),
          new SplittableRandom(1),
          process.environment().transport(),
          () -> "boot");
  private final StallGuard guard = new StallGuard(environment);

  @BeforeEach
  void join() {
    guard.joined(time.nowNanos(), DOWN_MILLIS);
  }

  private void pass(long millis) {
    time.pass(millis * 1_000_000);
  }

  /** The timers of the process do not run meanwhile. */
  private void stall(long millis) {
    process.pause();
    pass(millis);
    process.resume();
  }

  private void assertOpen() {
    assertDoesNotThrow(guard::requireOpen);
  }

  private void assertShut() {
    WeftException refusal = assertThrows(WeftException.class, guard::requireOpen);
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(guard.isShut());
  }

  @Test
  void silenceOfSysmgrAloneRefusesNoClient() {
    for (int i = 0; i < 1_000; i++) {
      pass(500);
      assertOpen();
    }
  }

  @Test
  void aLongStallRefusesClientsBeforeAnyTimerRuns() {
    stall(7_000);
    assertShut();
    pass(60_000);
    assertShut();
  }

  @Test
  void aStallTooShortToBeGivenUpRefusesNoClient() {
    stall(4_000);
    assertOpen();
    pass(100);
    guard.answered(time.nowNanos(), true);
    stall(4_000);
    assertOpen();
  }

  @Test
  void aShortStallLongAfterTheLastAnswerIsEnough() {
    pass(5_500);
    assertOpen();
    stall(1_200);
    assertShut();
  }

  @Test
  void aStallShorterThanAManagerWaitsRefusesNoClient() {
    pass(60_000);
    stall(StallGuard.GAP_MILLIS - StallGuard.TICK_MILLIS);
    assertOpen();
  }

  @Test
  void onlyAConfirmedReplyFromAfterTheStallOpens() {
    long before = time.nowNanos();
    stall(7_000);
    guard.answered(before, true);
    assertShut();
    pass(100);
    guard.answered(time.nowNanos(), false);
    assertShut();
    guard.answered(time.nowNanos(), true);
    assertOpen();
    assertFalse(guard.isShut());
  }

  @Test
  void anAnswerThatWaitedInASecondStallOpensNothing() {
    stall(7_000);
    assertShut();
    long sent = time.nowNanos();
    stall(7_000);
    guard.answered(sent, true);
    assertShut();
  }

  @Test
  void anAnswerThatWaitedInTheFirstStallCountsForNothing() {
    pass(1_000);
    long sent = time.nowNanos();
    stall(7_000);
    guard.answered(sent, false);
    assertShut();
  }

  @Test
  void anUnconfirmedReplyOpensNothing() {
    for (int i = 0; i < 5; i++) {
      pass(1_000);
      guard.answered(time.nowNanos(), false);
    }
    assertTrue(guard.wantsConfirmation());
    pass(500);
    stall(1_200);
    assertShut();
  }

  @Test
  void aConfirmedAnswerIsRequestedBeforeTheLastExpires() {
    guard.answered(time.nowNanos(), true);
    assertFalse(guard.wantsConfirmation());
    pass(2_000);
    assertTrue(guard.wantsConfirmation());
    assertFalse(guard.isShut());
  }

  @Test
  void waitingForTheDiskCountsAsAStall() {
    guard.hearsNothing();
    pass(4_000);
    assertOpen();
    pass(3_000);
    assertShut();
    guard.hears();
    assertShut();
    guard.answered(time.nowNanos(), true);
    assertOpen();
  }

  @Test
  void aFastDiskCausesNoStall() {
    pass(60_000);
    guard.hearsNothing();
    pass(500);
    assertOpen();
    guard.hears();
    pass(60_000);
    assertOpen();
  }

  /** P 5.8.94. */
  @Test
  void aStartThatTakesLongRefusesNoClient() {
    StallGuard fresh = new StallGuard(environment);
    pass(8_000);
    fresh.hearsNothing();
    pass(100);
    fresh.hears();
    fresh.joined(time.nowNanos() - 200_000_000, DOWN_MILLIS);
    assertDoesNotThrow(fresh::requireOpen);
    assertFalse(fresh.isShut());
    fresh.close();
  }

  /** P 5.8.94. */
  @Test
  void aJoinWhoseAnswerWaitedWhileTheOsdStoodStillRefusesClients() {
    StallGuard fresh = new StallGuard(environment);
    long sentNanos = time.nowNanos();
    pass(7_000);
    fresh.joined(sentNanos, DOWN_MILLIS);
    assertThrows(WeftException.class, fresh::requireOpen);
    fresh.close();
  }
}
