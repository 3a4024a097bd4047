package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.node.Liveness;

/**
 * OSDs that SysMgr hears and managers cannot use (P 5.8): whatever of a manager waits for one has
 * an end.
 */
class UnusableOsdTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final long MAX_MILLIS = 90_000;
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(30);
  private static final long DAY_MILLIS = 24L * 60 * 60 * 1_000;

  private static org.weft.sysmgr.configuration.node.OsdNode known(Stage stage, SimulatedOsd osd) {
    return stage.world().sysmgrs().get(0).configuration().osds().get(new OsdId(osd.osdId()));
  }

  private static boolean isGivenUp(Stage stage, SimulatedOsd osd) {
    return known(stage, osd).unusable().isPresent()
        && known(stage, osd).node().liveness() == Liveness.DOWN;
  }

  private static void separate(Stage stage, SimulatedOsd osd) {
    for (SimulatedManager manager : stage.world().managers()) {
      stage.world().network().separate(manager.name(), osd.name());
    }
  }

  @Test
  void managerThatCannotReachAnOsdAtStartServesWithoutIt() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd cutOff = stage.world().osds().get(2);
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    separate(stage, cutOff);
    manager.start();
    stage.world().await("the manager serves", MAX_MILLIS, manager::isServing);
    assertTrue(isGivenUp(stage, cutOff));
    assertArrayEquals(OLD, stage.read(stage.client(), PATH));
    var made = stage.call(client.files().mkdir(WeftPath.of("/made"), 0755));
    stage.heal();
    assertTrue(known(stage, cutOff).unusable().isEmpty(), "it is taken back");
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void managerServesWithoutAnOsdThatItsMessagesDoNotReach() throws Exception {
    Stage stage = Stage.boot();
    SimulatedOsd cutOff = stage.world().osds().get(2);
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    stage.world().network().cut(manager.name(), cutOff.name());
    manager.start();
    stage.world().await("the manager serves", MAX_MILLIS, manager::isServing);
    assertTrue(isGivenUp(stage, cutOff));
    stage.heal();
  }

  @Test
  void changesContinueThoughTheManagerLosesAnOsd() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    SimulatedOsd cutOff = stage.world().osds().get(2);
    separate(stage, cutOff);
    stage.world().pass(1_000);
    for (int number = 0; number < 1_500; number++) {
      var made = stage.call(client.files().mkdir(WeftPath.of("/d" + number), 0755));
    }
    stage.world().await("it is given up", MAX_MILLIS, () -> isGivenUp(stage, cutOff));
    for (int number = 0; number < 1_500; number++) {
      var made = stage.call(client.files().mkdir(WeftPath.of("/e" + number), 0755));
    }
    stage.heal();
    assertTrue(known(stage, cutOff).unusable().isEmpty(), "it is taken back");
  }

  @Test
  void changesGoOnBesideAnOsdThatAnswersAndMakesNoCheckpoint() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    SimulatedOsd stuck = stage.world().osds().get(2);
    stuck.machine().hangSyncs(LONG_NANOS);
    var made = stage.call(client.files().mkdir(WeftPath.of("/d"), 0755));
    stage.world().await("it is given up", 4 * MAX_MILLIS, () -> isGivenUp(stage, stuck));
    stage.world().pass(10_000);
    assertTrue(
        stage.world().managers().get(0).health().get(0).getJournalRecords() < 20,
        "the journal is dropped");
    stuck.machine().repair();
    stuck.kill();
    stage.heal();
    assertTrue(known(stage, stuck).unusable().isEmpty(), "it has started again");
  }

  @Test
  void deadWritersFileIsResolvedWithoutAnUnreachableOsd() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    stage.call(Stage.write(shared.file(), 0, NEWS));
    separate(stage, stage.dataOsd(shared.map(), 2));
    shared.writer().kill();
    stage.awaitClosed(shared.other(), PATH);
    assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(stage.client(), PATH));
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void deadWritersFileIsResolvedWithoutAFailingOsd() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    stage.call(Stage.write(shared.file(), 0, NEWS));
    SimulatedOsd stuck = stage.dataOsd(shared.map(), 2);
    stuck.machine().hangSyncs(LONG_NANOS);
    shared.writer().kill();
    stage.awaitClosed(shared.other(), PATH);
    assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(stage.client(), PATH));
    stuck.kill();
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  /** Clients reach it: it refuses them before any of them writes around it. */
  @Test
  void unusableOsdGivesNoStaleBytesOfFilesWrittenAround() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    WeftInput opened = stage.reading(shared.other(), PATH, OLD);
    SimulatedOsd cutOff = stage.dataOsd(shared.map(), 0);
    separate(stage, cutOff);
    // Directories are on each OSD of so few.
    for (int number = 0; number < 10; number++) {
      var made = stage.call(shared.writer().files().mkdir(WeftPath.of("/d" + number), 0755));
    }
    stage.world().await("it is given up", MAX_MILLIS, () -> isGivenUp(stage, cutOff));
    stage.world().network().separate(shared.writer().name(), cutOff.name());
    stage.call(Stage.write(shared.file(), 0, NEWS));
    assertFalse(stage.map(shared.other(), PATH).missing().isEmpty());
    byte[] expected = Stage.changed(OLD, 0, NEWS);
    assertArrayEquals(expected, stage.read(opened, OLD.length), "by the map of before");
    var closed = stage.call(shared.file().close());
    opened.close();
    stage.heal();
    stage.assertHolds(PATH, expected);
  }

  @Test
  void aManagerThatReachesHardlyAnyOsdHasNoneGivenUp() throws Exception {
    Stage stage = Stage.boot();
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    for (SimulatedOsd osd : stage.world().osds().subList(0, 4)) {
      stage.world().network().separate(manager.name(), osd.name());
    }
    manager.start();
    stage.world().pass(60_000);
    assertFalse(manager.isServing());
    for (SimulatedOsd osd : stage.world().osds()) {
      assertEquals(Liveness.UP, known(stage, osd).node().liveness());
      assertTrue(known(stage, osd).unusable().isEmpty());
    }
    stage.heal();
  }

  @Test
  void oneOsdAtATimeIsGivenUpWithinTheParity() throws Exception {
    Stage stage = Stage.boot();
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    for (SimulatedOsd osd : stage.world().osds().subList(0, 2)) {
      stage.world().network().separate(manager.name(), osd.name());
    }
    manager.start();
    stage.world().pass(60_000);
    long away =
        stage.world().osds().stream()
            .filter(osd -> known(stage, osd).unusable().isPresent())
            .count();
    assertEquals(1, away);
    stage.heal();
  }

  @Test
  void noClockOfAnOsdKeepsItsManagerFromIt() throws Exception {
    for (long days : new long[] {10, -10, 4_000}) {
      Stage stage = Stage.boot(WorldOptions.of(1));
      ClientNode client = stage.client();
      stage.put(client, PATH, Stage.WIDE, OLD);
      SimulatedOsd wrong = stage.world().osds().get(2);
      wrong.machine().jumpClock(days * DAY_MILLIS);
      SimulatedManager manager = stage.world().managers().get(0);
      manager.kill();
      manager.start();
      stage.world().await("the manager serves", 10_000, manager::isServing);
      assertEquals(Liveness.UP, known(stage, wrong).node().liveness());
      stage.heal();
    }
  }
}
