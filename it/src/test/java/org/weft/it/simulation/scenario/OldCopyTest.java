package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedOsd;

/** Disks that were restored from old copies (P 5.10), and clocks that are days apart (P 5.7). */
class OldCopyTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final byte[] NEW = Stage.changed(OLD, 0, NEWS);
  private static final long TEN_DAYS_MILLIS = 10L * 24 * 3_600 * 1_000;

  @Test
  void diskRestoredFromBeforeACheckpointIsNotRead() throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd victim = stage.dataOsd(stage.map(writer, PATH), 0);
    victim.machine().copyDisk();
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    stage.world().pass(15_000);
    victim.kill();
    victim.machine().restoreDisk();
    victim.start();
    stage.world().pass(15_000);
    assertFalse(victim.isServing(), "SysMgr has heard of a newer checkpoint");
    assertArrayEquals(NEW, stage.read(stage.client(), PATH));
  }

  @Test
  void diskRestoredFromAfterTheCheckpointIsComparedFirst() throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd victim = stage.dataOsd(stage.map(writer, PATH), 0);
    victim.machine().copyDisk();
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    stage.world().pass(1_500);
    victim.kill();
    victim.machine().restoreDisk();
    victim.start();
    assertArrayEquals(NEW, stage.read(stage.client(), PATH), "while it is compared");
    stage.world().pass(15_000);
    assertArrayEquals(NEW, stage.read(stage.client(), PATH), "when it was compared");
  }

  @Test
  void diskRestoredFromBeforeTheLastStartIsNotRead() throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    stage.world().pass(12_000);
    SimulatedOsd victim = stage.dataOsd(stage.map(writer, PATH), 0);
    victim.kill();
    victim.machine().copyDisk();
    stage.restart(victim);
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    victim.kill();
    victim.machine().restoreDisk();
    victim.start();
    stage.world().pass(15_000);
    assertFalse(victim.isServing(), "it does not know the last start");
    assertArrayEquals(NEW, stage.read(stage.client(), PATH));
  }

  @Test
  void clientsReadAndWriteWithClocksTenDaysApart() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(1));
    SimulatedOsd ahead = stage.world().osds().get(0);
    SimNode behind = stage.world().managers().get(0);
    ahead.machine().jumpClock(TEN_DAYS_MILLIS);
    behind.machine().jumpClock(-TEN_DAYS_MILLIS);
    stage.world().pass(3_000);
    ClientNode client = stage.client();
    for (int file = 0; file < 4; file++) {
      stage.put(client, PATH + file, Stage.WIDE, OLD);
      assertArrayEquals(OLD, stage.read(client, PATH + file));
    }
  }
}
