package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.Endpoint;

class TakesUnderWayTest {
  private static final Endpoint SERVER = new Endpoint("10.0.0.1", 2_049);
  private static final Endpoint GATEWAY = new Endpoint("node-1", 2_049);

  private long term = 1;
  private long nowNanos;
  private final TakesUnderWay takes = new TakesUnderWay(() -> term, () -> nowNanos);
  private final String gateway = TakesUnderWay.gateway(GATEWAY, 7);

  @Test
  void onlyRepeatsOfAClaimRunSideBySide() {
    TakesUnderWay.Begun one = takes.begin(List.of(SERVER), gateway);
    assertTrue(takes.mayTake(SERVER, gateway));
    assertFalse(takes.mayTake(SERVER, TakesUnderWay.gateway(GATEWAY, 8)), "started again");
    assertFalse(takes.isFree(SERVER));
    TakesUnderWay.Begun two = takes.begin(List.of(SERVER), gateway);
    takes.end(one);
    assertFalse(takes.isFree(SERVER), "the repeat is under way");
    takes.end(two);
    assertTrue(takes.isFree(SERVER));
  }

  @Test
  void twoForgettingsOfAnAddressExcludeEachOther() {
    String one = takes.forgetting();
    takes.begin(List.of(SERVER), one);
    assertTrue(takes.isForgetting(SERVER));
    assertFalse(takes.mayTake(SERVER, takes.forgetting()));
  }

  @Test
  void takesOfAnEarlierTermCountForNothing() {
    TakesUnderWay.Begun lost = takes.begin(List.of(SERVER), gateway);
    term = 3;
    assertTrue(takes.isFree(SERVER));
    TakesUnderWay.Begun now = takes.begin(List.of(SERVER), gateway);
    takes.end(lost);
    assertFalse(takes.isFree(SERVER), "that one is under way");
    takes.end(now);
    assertTrue(takes.isFree(SERVER));
  }

  @Test
  void aTakeThatNeverEndsHoldsNoGatewayUp() {
    takes.begin(List.of(SERVER), takes.forgetting());
    nowNanos = TakesUnderWay.MAX_NANOS;
    assertFalse(takes.mayTake(SERVER, gateway));
    nowNanos++;
    assertTrue(takes.mayTake(SERVER, gateway));
  }
}
