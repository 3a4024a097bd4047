package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.ReadmitOsdRequest;

/** OSDs that were away, and the manager that lets them in again (P 5.8), on virtual time. */
final class QuarantineTest {
  @TempDir Path folder;
  private ManagerWorld world;
  private VolumeCalls calls;

  @BeforeEach
  void startCluster() {
    world = new ManagerWorld(5, 4, folder);
    world.start();
    calls = world.superuser();
  }

  @AfterEach
  void stopCluster() {
    world.kill();
  }

  private void mkdir(String path) {
    var unused = world.time.await(calls.mkdir("/" + path, 0755, 0, false));
  }

  /** Some of so many directories have a copy on OSD 2. */
  private void loseAnOsdAndGoOn() {
    for (int i = 0; i < 12; i++) {
      mkdir("dir-" + i);
    }
    world.osdDown(2);
    world.pass(2_000);
    for (int i = 0; i < 12; i++) {
      mkdir("dir-" + i + "/while-away");
    }
    world.pass(5_000);
    assertTrue(lagging() > 0);
  }

  private NodeState state(int osd) {
    return world.cluster.table().getOsds(osd - 1).getState();
  }

  private void comesBackInQuarantine(int osd) {
    world.restartOsd(osd);
    world.cluster.quarantine(osd, false);
  }

  private long lagging() {
    return world.manager().health().get(0).getLaggingCopies();
  }

  @Test
  void anOsdThatWasAwayIsCaughtUpBeforeItIsReadmitted() {
    loseAnOsdAndGoOn();
    comesBackInQuarantine(2);
    world.time.runUntil("it is readmitted", () -> state(2) == NodeState.UP);
    assertEquals(0, lagging());
    ReadmitOsdRequest said = world.cluster.readmissions().get(0);
    assertEquals(2, said.getOsdId());
    assertEquals(1, said.getQuarantine());
    assertEquals(1, said.getVolumeId());
    assertEquals(1, said.getManagerId());
    mkdir("afterwards");
  }

  @Test
  void clusterInQuarantineComesUpByItself() {
    for (int i = 0; i < 10; i++) {
      mkdir("dir-" + i);
    }
    world.stop();
    for (int osd = 1; osd <= 4; osd++) {
      world.osds.get(osd - 1).stop();
      comesBackInQuarantine(osd);
    }
    world.start();
    for (int osd = 1; osd <= 4; osd++) {
      assertEquals(NodeState.UP, state(osd));
    }
    calls = world.superuser();
    mkdir("dir-0/below");
  }

  @Test
  void nextManagerContinuesTheReadmissionOfAKilledOne() {
    loseAnOsdAndGoOn();
    for (int round = 0; round < 4; round++) {
      world.kill();
      world.launch();
      comesBackInQuarantine(2);
      world.pass(200 + 300 * round);
    }
    assertFalse(world.cluster.readmissions().stream().anyMatch(said -> said.getOsdId() != 2));
    world.awaitServing();
    world.time.runUntil("it is readmitted", () -> state(2) == NodeState.UP);
    assertEquals(0, lagging());
    assertTrue(world.manager().problems().isEmpty(), world.manager().problems()::toString);
  }
}
