package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.ClusterStatus;

/** A leader that is cut off, or was frozen, and still believes that it leads. */
final class CutLeaderTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(12, 3);

  @BeforeEach
  void open() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.joinOsd(1, "a", 7400, 1);
  }

  private static boolean isOld(ClusterStatus status) {
    return status.getProblemsList().stream()
        .anyMatch(each -> each.getWhat().contains("may be old"));
  }

  @Test
  void aCutLeadersStatusSaysItMayBeOld() throws Exception {
    assertFalse(isOld(sysmgr.status(1)));
    sysmgr.replication.cut(1);
    sysmgr.replication.elect(2);
    sysmgr.seconds(4);
    sysmgr.joinOsd(2, "b", 7401, 1);
    ClusterStatus old = sysmgr.status(1);
    assertEquals(1, old.getTable().getOsdsCount());
    assertTrue(isOld(old));
    assertEquals(2, sysmgr.status(2).getTable().getOsdsCount());
    assertFalse(isOld(sysmgr.status(2)));
  }
}
