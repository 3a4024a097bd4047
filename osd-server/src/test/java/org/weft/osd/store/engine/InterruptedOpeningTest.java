package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.write;

import org.junit.jupiter.api.Test;
import org.weft.osd.store.StoreHistory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;

/** A process that dies while it opens a store makes the store look no newer than it is (P 5.10). */
class InterruptedOpeningTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final int MAX_OPERATIONS = 10_000;

  /** A store that a process has left in the midst of its work. */
  private static Rig killed() throws WeftException {
    Rig rig = Rig.small();
    rig.store.join(CLUSTER, new OsdId(4));
    for (int object = 1; object < 5; object++) {
      rig.apply(write(object, 0, random(object, BLOCK)).build());
    }
    rig.kill();
    return rig;
  }

  @Test
  void theNextOpeningTellsFindingsOfAnInterruptedOne() throws Exception {
    Rig whole = killed();
    whole.open();
    StoreHistory expected = whole.store.identity().history();
    int deaths = 0;
    for (int death = 1; death < MAX_OPERATIONS; death++) {
      Rig rig = killed();
      rig.faults.losePowerAt(rig.faults.operations() + death);
      try {
        rig.open();
      } catch (WeftException e) {
        deaths++;
        rig.kill();
        rig.open();
        StoreHistory found = rig.store.identity().history();
        String when = "died at operation " + death;
        assertEquals(expected.checkpoint(), found.checkpoint(), when);
        assertEquals(expected.change(), found.change(), when);
        assertEquals(expected.knownStarts().get(0), found.knownStarts().get(0), when);
        continue;
      }
      break;
    }
    assertTrue(deaths > 10, "an opening takes " + deaths + " operations");
  }
}
