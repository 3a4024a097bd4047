package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.node.Liveness;

/** An OSD whose disk is full takes what managers wait for, or is down (P 5.8). */
class FullDiskScenarioTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final long SOON_MILLIS = 30_000;
  private static final int BATCHES_LEFT = 3;

  private static Liveness liveness(Stage stage, SimulatedOsd osd) {
    return stage
        .world()
        .configuration()
        .orElseThrow()
        .osds()
        .get(new OsdId(osd.osdId()))
        .node()
        .liveness();
  }

  private static void restart(Stage stage) {
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    manager.start();
    stage.world().await("the manager serves", SOON_MILLIS, manager::isServing);
  }

  @Test
  void aManagerThatStartsBesideItServesAndFilesAreRemovedThere() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd full = stage.dataOsd(stage.map(client, PATH), 0);
    full.machine().fullDisk(true);
    restart(stage);
    assertArrayEquals(OLD, stage.read(stage.client(), PATH));
    stage.call(client.files().unlink(WeftPath.of(PATH)));
    stage.world().pass(SOON_MILLIS);
    assertEquals(Liveness.UP, liveness(stage, full));
    assertFalse(full.store().hasFailed());
  }

  @Test
  void osdIsDownWhenTheManagersReserveIsUsedUp() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd full = stage.dataOsd(stage.map(client, PATH), 0);
    full.machine().fullDisk(BATCHES_LEFT);
    for (int start = 0; start < BATCHES_LEFT; start++) {
      restart(stage);
    }
    stage.world().await("it is down", SOON_MILLIS, () -> liveness(stage, full) == Liveness.DOWN);
    restart(stage);
    assertArrayEquals(OLD, stage.read(stage.client(), PATH));
    full.kill();
    full.machine().repair();
    stage.restart(full);
    stage.heal();
    assertEquals(Liveness.UP, liveness(stage, full));
    stage.assertHolds(PATH, OLD);
  }
}
