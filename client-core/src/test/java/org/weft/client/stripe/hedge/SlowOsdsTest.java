package org.weft.client.stripe.hedge;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.testkit.sim.VirtualTime;

/** An OSD that was late is avoided for a while, although it never answers. */
class SlowOsdsTest {
  private static final OsdId OSD = new OsdId(3);

  private final VirtualTime time = new VirtualTime(1);

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void anOsdIsAvoidedAfterThreeLateAnswersAndForAMoment() {
    SlowOsds slow = new SlowOsds(time);
    slow.outrun(OSD);
    slow.outrun(OSD);
    assertFalse(slow.avoidsAny());
    slow.outrun(OSD);
    assertTrue(slow.avoidsAny());
    assertTrue(slow.isAvoided(OSD));
    pass(1_001);
    assertFalse(slow.avoidsAny());
    slow.outrun(OSD);
    assertTrue(slow.avoidsAny(), "one more is enough");
    slow.answered(OSD);
    assertFalse(slow.avoidsAny());
  }
}
