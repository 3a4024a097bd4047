package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.osd.membership.MembershipMachine.End;
import org.weft.osd.membership.MembershipMachine.Heartbeat;
import org.weft.osd.membership.MembershipMachine.Join;
import org.weft.osd.membership.MembershipMachine.Store;
import org.weft.osd.membership.MembershipMachine.Wait;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.LeaderHint;

class MembershipMachineTest {
  private static final long MILLI = 1_000_000;
  private static final long JOIN_TIMEOUT = 10_000 * MILLI;
  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 2);

  /** A ticker's times mean nothing but their difference: they may run over while a test runs. */
  private static final long START = Long.parseLong("7fffffff00000000", 16);

  private final MembershipMachine machine =
      new MembershipMachine(List.of(A, B), JOIN_TIMEOUT, new SplittableRandom(3), START);

  @Test
  void joinsThenStoresThenReports() {
    assertEquals(new Join(A), machine.next(START));
    machine.joined();
    assertEquals(new Store(), machine.next(START));
    assertFalse(machine.isMember(), "keys are not durable yet");
    machine.admitted(1_000, START);
    assertTrue(machine.isMember());
    assertEquals(new Heartbeat(A, false), machine.next(START));
  }

  @Test
  void countsHeartbeatsFromTheirSending() {
    admit(START);
    machine.sending(START + 5);
    machine.reported(false);
    assertEquals(new Wait(START + 5 + 1_000 * MILLI), machine.next(START + 900 * MILLI));
    assertEquals(new Heartbeat(A, false), machine.next(START + 5 + 1_000 * MILLI));
  }

  @Test
  void asksTheNextMemberAtOnceWhenOneDoesNotLead() {
    machine.failed(failure(ErrorCode.NOT_LEADER), START);
    assertEquals(new Join(B), machine.next(START));
  }

  @Test
  void findsTheLeaderThatIsNotAmongTheGivenAddresses() {
    MembershipMachine narrow =
        new MembershipMachine(List.of(A), JOIN_TIMEOUT, new SplittableRandom(3), START);
    narrow.failed(LeaderHint.refusal(B), START);
    assertEquals(new Join(B), narrow.next(START));
  }

  @Test
  void pausesLongerAfterEachRoundWithoutSuccess() {
    long now = START;
    long[] pausesMillis = {100, 200, 400, 800, 1_600, 2_000, 2_000};
    admit(now);
    for (long pauseMillis : pausesMillis) {
      machine.failed(failure(ErrorCode.UNAVAILABLE), now);
      assertInstanceOf(Heartbeat.class, machine.next(now), "the other member is asked at once");
      machine.failed(failure(ErrorCode.UNAVAILABLE), now);
      now = requirePause(now, pauseMillis);
    }
  }

  /** P 5.8.95. */
  @Test
  void asksOftenUntilItHasJoinedForTheFirstTime() {
    long now = START;
    for (long pauseMillis : new long[] {100, 200, 400, 400, 400}) {
      machine.failed(failure(ErrorCode.UNAVAILABLE), now);
      machine.failed(failure(ErrorCode.UNAVAILABLE), now);
      now = requirePause(now, pauseMillis);
    }
  }

  /** P 5.8.96. */
  @Test
  void reportsOftenInAQuarantineSoonAfterItsJoin() {
    admit(START);
    machine.sending(START + 5);
    machine.reported(true);
    assertEquals(new Wait(START + 5 + 250 * MILLI), machine.next(START + 10));
    machine.sending(START + 300 * MILLI);
    machine.reported(false);
    assertEquals(new Wait(START + 1_300 * MILLI), machine.next(START + 310 * MILLI));
    long later = START + 30_000 * MILLI;
    machine.sending(later);
    machine.reported(true);
    assertEquals(new Wait(later + 1_000 * MILLI), machine.next(later));
  }

  @Test
  void theFirstJoinFailsAtItsDeadlineAndNamesTheMembers() {
    machine.failed(failure(ErrorCode.UNAVAILABLE), START);
    End end = assertInstanceOf(End.class, machine.next(START + JOIN_TIMEOUT));
    assertEquals(ErrorCode.UNAVAILABLE, end.refusal().code());
    assertTrue(end.refusal().getMessage().contains("a:1"), end.refusal().getMessage());
    assertTrue(end.refusal().getMessage().contains("b:2"), end.refusal().getMessage());
  }

  @Test
  void aRefusedFirstJoinIsOver() {
    machine.failed(failure(ErrorCode.UNAUTHENTICATED), START);
    End end = assertInstanceOf(End.class, machine.next(START));
    assertEquals(ErrorCode.UNAUTHENTICATED, end.refusal().code());
  }

  @Test
  void joinsAgainWhenUnknownAndSurvivesARefusal() {
    admit(START);
    machine.failed(failure(ErrorCode.NOT_FOUND), START);
    assertEquals(new Join(B), machine.next(START));
    machine.failed(failure(ErrorCode.WRONG_CLUSTER), START);
    assertInstanceOf(Wait.class, machine.next(START));
    long muchLater = START + 5 * JOIN_TIMEOUT;
    assertEquals(
        new Join(A), machine.next(muchLater), "the join deadline binds the first join only");
  }

  @Test
  void leavesWithOneLastHeartbeat() {
    admit(START);
    machine.leave();
    assertEquals(new Heartbeat(A, true), machine.next(START));
    machine.sending(START);
    machine.reported(false);
    assertNull(assertInstanceOf(End.class, machine.next(START)).refusal());
  }

  @Test
  void leavesWithoutAnAnswerAfterAskingEachMemberOnce() {
    admit(START);
    machine.leave();
    machine.sending(START);
    machine.failed(failure(ErrorCode.UNAVAILABLE), START);
    assertEquals(new Heartbeat(B, true), machine.next(START));
    machine.sending(START);
    machine.failed(failure(ErrorCode.UNAVAILABLE), START);
    assertNull(assertInstanceOf(End.class, machine.next(START)).refusal());
  }

  @Test
  void theAnswerToAnEarlierHeartbeatIsNoFarewell() {
    admit(START);
    machine.sending(START);
    machine.leave();
    machine.reported(false);
    assertEquals(new Heartbeat(A, true), machine.next(START));
    machine.failed(failure(ErrorCode.UNAVAILABLE), START);
    assertEquals(new Heartbeat(A, true), machine.next(START));
  }

  @Test
  void leavingBeforeItWasAMemberSendsNothing() {
    machine.leave();
    assertInstanceOf(End.class, machine.next(START));
    machine.joined();
    machine.admitted(1_000, START);
    assertFalse(machine.isMember(), "a late answer does not bring it back");
  }

  @Test
  void neverServesWhenWhatTheJoinBroughtCannotBeStored() {
    machine.joined();
    machine.storeFailed(new WeftException(ErrorCode.BAD_MEDIA, "disk full"), START);
    End end = assertInstanceOf(End.class, machine.next(START));
    assertEquals(ErrorCode.BAD_MEDIA, end.refusal().code());
  }

  @Test
  void servesOnWhenALaterJoinCannotBeStored() {
    admit(START);
    machine.failed(failure(ErrorCode.NOT_FOUND), START);
    machine.joined();
    machine.storeFailed(failure(ErrorCode.BAD_MEDIA), START);
    assertInstanceOf(Wait.class, machine.next(START));
    assertInstanceOf(Join.class, machine.next(START + JOIN_TIMEOUT));
  }

  /** Jitter shortens it by up to half. Returns its end. */
  private long requirePause(long now, long mostMillis) {
    long untilNanos = assertInstanceOf(Wait.class, machine.next(now)).untilNanos();
    long pauseNanos = untilNanos - now;
    assertTrue(pauseNanos >= mostMillis * MILLI / 2, "too short: " + pauseNanos);
    assertTrue(pauseNanos <= mostMillis * MILLI, "too long: " + pauseNanos);
    return untilNanos;
  }

  /** All OSDs have lost the same SysMgr at the same moment: they do not come back together. */
  @Test
  void osdsThatSysMgrRefusedTogetherComeBackOneByOne() {
    SortedSet<Long> ends = new TreeSet<>();
    for (int osd = 0; osd < 100; osd++) {
      MembershipMachine one =
          new MembershipMachine(List.of(A), JOIN_TIMEOUT, new SplittableRandom(osd), START);
      one.failed(failure(ErrorCode.UNAVAILABLE), START);
      ends.add(assertInstanceOf(Wait.class, one.next(START)).untilNanos());
    }
    assertEquals(100, ends.size());
    assertTrue(ends.last() - ends.first() > 40 * MILLI, "they come within " + ends);
  }

  private void admit(long now) {
    machine.joined();
    machine.admitted(1_000, now);
  }

  private static WeftException failure(ErrorCode code) {
    return new WeftException(code, "because");
  }
}
