package org.weft.sysmgr.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;

class BalanceTest {
  private static OsdUsage osd(int id, long used, long capacity) {
    return new OsdUsage(new OsdId(id), used, capacity, 10);
  }

  private static BalancePlan spread(int ppm) {
    BalancePlan some = BalancePlan.of(List.of(osd(1, 60, 100), osd(2, 0, 100)));
    return new BalancePlan(ppm, some.leavePpm(), some.comingBytes());
  }

  @Test
  void aFullOsdGivesDownToTheMean() {
    BalancePlan plan =
        BalancePlan.of(List.of(osd(1, 600, 1_000), osd(2, 300, 1_000), osd(3, 0, 1_000)));
    assertEquals(Map.of(new OsdId(1), 500_000), plan.leavePpm());
    assertEquals(Map.of(new OsdId(3), 300L), plan.comingBytes());
    assertEquals(300_000, plan.spreadPpm());
  }

  @Test
  void sharesCountAndNotBytes() {
    BalancePlan plan = BalancePlan.of(List.of(osd(1, 500, 1_000), osd(2, 2_500, 5_000)));
    assertEquals(BalancePlan.NONE, plan);
  }

  @Test
  void aBalanceEndsOnceWithinTheBand() {
    Balance balance = Balance.started(7, 50_000, 1);
    assertEquals(Balance.State.ENDED, balance.next(spread(50_000), 8).state());
    Balance next = balance.next(spread(50_001), 8);
    assertEquals(Balance.State.RUNNING, next.state());
    assertEquals(8, next.round());
  }

  @Test
  void roundsWithoutProgressEndTheBalance() {
    Balance balance = Balance.started(7, 50_000, 1).next(spread(300_000), 8);
    balance = balance.next(spread(290_000), 9).next(spread(310_000), 10);
    assertTrue(balance.isUnderWay());
    Balance gaining = balance.next(spread(200_000), 11);
    assertEquals(0, gaining.idleRounds());
    Balance ended = balance.next(spread(295_000), 11);
    assertEquals(Balance.State.ENDED, ended.state());
    assertTrue(ended.words().contains("29.5 points"), ended::words);
    assertEquals(BalancePlan.NONE, ended.plan());
  }

  @Test
  void operatorsHearOfItsBeginningItsPausesAndItsEnd() {
    Balance begun = Balance.started(7, 50_000, 1);
    assertEquals("begun", begun.change(Optional.empty()).orElseThrow().word());
    assertEquals(
        "begun", begun.change(Optional.of(Balance.started(6, 50_000, 1))).orElseThrow().word());
    Balance planned = begun.next(spread(60_000), 8);
    assertEquals(Optional.empty(), planned.change(Optional.of(begun)));
    assertEquals("paused", planned.paused().change(Optional.of(planned)).orElseThrow().word());
    assertEquals("resumed", planned.change(Optional.of(planned.paused())).orElseThrow().word());
    assertEquals("ended", planned.stopped().change(Optional.of(planned)).orElseThrow().word());
  }
}
