package org.weft.metadata.access;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** When a manager is in trouble with OSDs, and so asks all of them for a sign of life (P 5.8). */
class OsdWaitsTest {
  private final OsdWaits waits = new OsdWaits();
  private final VolumeWaits volume = waits.open(new PartitionId(1));
  private NodeState state = NodeState.UP;
  private long nowNanos;

  private void pass(double seconds) {
    for (int half = 0; half < 2 * seconds; half++) {
      nowNanos += TimeUnit.MILLISECONDS.toNanos(500);
      waits.tick(
          nowNanos,
          ClusterTable.newBuilder()
              .addOsds(OsdRow.newBuilder().setOsdId(1).setIncarnation(1).setState(state))
              .build());
    }
  }

  private void wait(String problem) {
    TreeMap<OsdId, Waiting> osds = new TreeMap<>();
    osds.put(new OsdId(1), new Waiting(problem, 0));
    volume.waits(OsdWait.METADATA, osds);
  }

  @Test
  void waitForAnUpOsdIsReportedAfterASecond() {
    pass(1);
    assertFalse(waits.isTroubled());
    wait("no answer");
    assertFalse(waits.isTroubled());
    pass(2);
    assertTrue(waits.isTroubled());
    assertTrue(waits.isTroubled(), "for as long as it waits");
    volume.waits(OsdWait.METADATA, new TreeMap<>());
    assertFalse(waits.isTroubled());
  }

  @Test
  void aWaitForAnOsdThatIsDownIsNone() {
    pass(1);
    wait("no answer");
    pass(2);
    state = NodeState.DOWN;
    pass(2);
    assertFalse(waits.isTroubled());
  }
}
