package org.weft.metadata.serving.request;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The lease is counted from the sending of the renewal (P 6.2). */
class ServingLeaseTest {
  private static final long MILLI = 1_000_000;

  private final ServingLease lease = new ServingLease();

  @Test
  void volumeDoesNotServeWithoutARenewal() {
    assertFalse(lease.holds(0));
  }

  @Test
  void leaseCountsFromTheSendingOfTheHeartbeat() {
    lease.renewed(100 * MILLI, 2_000);
    assertTrue(lease.holds(2_099 * MILLI));
    assertFalse(lease.holds(2_100 * MILLI));
  }

  @Test
  void lateAnswerToAnEarlierRenewalDoesNotShortenTheLease() {
    lease.renewed(1_000 * MILLI, 2_000);
    lease.renewed(500 * MILLI, 2_000);
    assertTrue(lease.holds(2_999 * MILLI));
  }

  @Test
  void revokedLeaseStaysRevoked() {
    lease.renewed(0, 2_000);
    lease.revoke();
    lease.renewed(MILLI, 2_000);
    assertFalse(lease.holds(2 * MILLI));
  }

  @Test
  void leaseWorksWithANegativeClock() {
    lease.renewed(-5_000 * MILLI, 2_000);
    assertTrue(lease.holds(-3_001 * MILLI));
    assertFalse(lease.holds(-3_000 * MILLI));
  }
}
