package org.weft.client.stripe.base;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.testkit.sim.VirtualTime;

/** What is known against an OSD that failed counts for a while, although it never answers. */
class RecentFailuresTest {
  private static final OsdId OSD = new OsdId(3);

  private final VirtualTime time = new VirtualTime(1);

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void aSuspicionThatIsOverCountsNoLongerButIsRemembered() {
    RecentFailures suspects = new RecentFailures(time, new SplittableRandom(5), 100);
    assertFalse(suspects.suspectsAny());
    suspects.failed(OSD);
    assertTrue(suspects.suspectsAny());
    pass(101);
    assertFalse(suspects.suspectsAny());
    suspects.failed(OSD);
    // Twice as long as the first time, less a fifth of that at most.
    pass(150);
    assertTrue(suspects.suspectsAny());
    assertTrue(suspects.isSuspect(OSD));
    pass(51);
    assertFalse(suspects.suspectsAny());
  }
}
