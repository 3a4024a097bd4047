package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.FileStatus;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** A volume with a primary and a backup: any of them dies, sleeps or is cut off (P 6.1, 6.2). */
class ManagerPairTest {
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final long LONG_MILLIS = 120_000;

  private static Stage pair(long seed, int managers) {
    Stage stage = Stage.boot(WorldOptions.of(seed).withPairs(managers));
    stage.awaitBackup();
    return stage;
  }

  @Test
  void acknowledgedChangesSurviveThePrimary() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      Stage stage = pair(seed, 2);
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      WeftFile file = stage.open(client, "/open", Stage.WIDE, OLD);
      Optional<ManagerId> backup = stage.rootVolume().backup().manager();
      stage.primary().kill();
      CompletableFuture<FileStatus> made = client.files().mkdir(WeftPath.of("/made"), 0755);
      stage.call(Stage.write(file, 0, NEWS));
      var closed = stage.call(file.close());
      var directory = stage.call(made);
      assertEquals(backup, stage.rootVolume().owner(), "the backup serves");
      stage.heal();
      stage.assertHolds("/before", OLD);
      stage.assertHolds("/open", Stage.changed(OLD, 0, NEWS));
    }
  }

  @Test
  void pairSurvivesDeathsOfBothInTurn() throws Exception {
    Stage stage = pair(4, 2);
    ClientNode client = stage.client();
    for (int round = 0; round < 4; round++) {
      stage.put(client, "/file-" + round, Stage.WIDE, OLD);
      stage.awaitBackup();
      SimulatedManager dying = stage.primary();
      dying.kill();
      stage.put(client, "/beside-" + round, Stage.WIDE, OLD);
      dying.start();
      stage.awaitBackup();
    }
    stage.heal();
    for (int round = 0; round < 4; round++) {
      assertArrayEquals(OLD, stage.read(client, "/file-" + round));
      assertArrayEquals(OLD, stage.read(client, "/beside-" + round));
    }
  }

  @Test
  void aFrozenPrimaryFindsItselfDeposed() throws Exception {
    Stage stage = pair(5, 2);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager frozen = stage.primary();
    frozen.pause();
    stage.put(client, "/after", Stage.WIDE, OLD);
    frozen.resume();
    stage.heal();
    stage.world().requireNoAlarm();
    stage.assertHolds("/before", OLD);
    stage.assertHolds("/after", OLD);
  }

  @Test
  void aFrozenBackupIsLeftBehindAndNotPromoted() throws Exception {
    Stage stage = pair(6, 2);
    ClientNode client = stage.client();
    SimulatedManager serving = stage.primary();
    SimulatedManager frozen = stage.other(serving);
    frozen.pause();
    stage.put(client, "/alone", Stage.WIDE, OLD);
    serving.kill();
    frozen.resume();
    stage.world().pass(20_000);
    assertEquals(List.of(), frozen.health(), "it lacks what was acknowledged");
    serving.start();
    assertArrayEquals(OLD, stage.read(client, "/alone"));
    stage.heal();
    stage.assertHolds("/alone", OLD);
  }

  @Test
  void answersNeverRestOnThePrimaryAlone() throws Exception {
    Stage stage = pair(7, 2);
    ClientNode client = stage.client();
    ClientNode looking = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager primary = stage.primary();
    SimulatedManager backup = stage.other(primary);
    stage.world().network().separate(primary.name(), backup.name());
    CompletableFuture<FileStatus> made = client.files().mkdir(WeftPath.of("/made"), 0755);
    stage.world().pass(300);
    CompletableFuture<FileStatus> seen = looking.files().attributes(WeftPath.of("/made"));
    stage.world().pass(300);
    assertFalse(made.isDone(), "the backup does not have it");
    assertFalse(seen.isDone(), "nor is it shown");
    primary.kill();
    stage.world().network().heal();
    var directory = stage.call(made);
    primary.start();
    stage.heal();
    directory = stage.call(client.files().attributes(WeftPath.of("/made")));
  }

  @Test
  void aBackupIsNamedOnceItHasAll() throws Exception {
    for (long seed = 8; seed <= 10; seed++) {
      Stage stage = pair(seed, 2);
      ClientNode client = stage.client();
      SimulatedManager primary = stage.primary();
      SimulatedManager backup = stage.other(primary);
      backup.kill();
      stage.put(client, "/alone", Stage.WIDE, OLD);
      backup.start();
      stage.awaitBackup();
      primary.kill();
      assertArrayEquals(OLD, stage.read(client, "/alone"), "seed " + seed);
      primary.start();
      stage.heal();
      stage.assertHolds("/alone", OLD);
    }
  }

  @Test
  void aBackupThatLostItsDiskIsNoBackupAnyMore() throws Exception {
    Stage stage = pair(11, 2);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager primary = stage.primary();
    SimulatedManager backup = stage.other(primary);
    backup.machine().loseDisk();
    backup.start();
    stage.put(client, "/after", Stage.WIDE, OLD);
    stage.awaitBackup();
    primary.kill();
    assertArrayEquals(OLD, stage.read(client, "/before"));
    assertArrayEquals(OLD, stage.read(client, "/after"));
    primary.start();
    stage.heal();
  }

  @Test
  void primaryAnswersNothingUntilSysmgrKnowsOfTheLoss() throws Exception {
    Stage stage = pair(12, 2);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager primary = stage.primary();
    SimulatedManager backup = stage.other(primary);
    stage.world().network().separate(primary.name(), "sysmgr-1");
    backup.kill();
    CompletableFuture<FileStatus> made = client.files().mkdir(WeftPath.of("/made"), 0755);
    stage.world().pass(500);
    assertFalse(made.isDone(), "the row still names a backup that does not have it");
    backup.start();
    var directory = stage.call(made);
    stage.world().network().heal();
    stage.heal();
    directory = stage.call(client.files().attributes(WeftPath.of("/made")));
  }

  /** No record goes that would miss its answer, and the next failure may come at any time. */
  @Test
  void aBackupThatDiesBesideAQuietVolumeIsReplaced() throws Exception {
    for (long seed = 21; seed <= 23; seed++) {
      Stage stage = pair(seed, 3);
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      // All is flushed by then, and the backup has heard so.
      stage.world().pass(90_000);
      SimulatedManager first = stage.primary();
      ManagerId backup = stage.rootVolume().backup().manager().orElseThrow();
      stage.manager(backup).kill();
      stage.world().pass(20_000);
      Optional<ManagerId> next = stage.rootVolume().backup().manager();
      assertTrue(next.isPresent() && !next.get().equals(backup), "seed " + seed + ": " + next);
      first.kill();
      assertArrayEquals(OLD, stage.read(client, "/before"), "seed " + seed);
      assertEquals(next, stage.rootVolume().owner());
      first.start();
      stage.manager(backup).start();
      stage.heal();
    }
  }

  /** There is no other manager to be the backup: the row must say that there is none. */
  @Test
  void deadBackupOfAQuietVolumeIsRemovedWithoutAReplacement() throws Exception {
    Stage stage = pair(25, 2);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    stage.world().pass(90_000);
    SimulatedManager backup = stage.other(stage.primary());
    backup.kill();
    stage.world().pass(20_000);
    assertEquals(Optional.empty(), stage.rootVolume().backup().manager());
    backup.start();
    stage.heal();
    assertArrayEquals(OLD, stage.read(client, "/before"));
  }

  /** It has all, and SysMgr, which does not hear it, would never promote it. */
  @Test
  void aBackupThatOnlySysmgrDoesNotHearIsReplaced() throws Exception {
    Stage stage = pair(24, 3);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager first = stage.primary();
    ManagerId backup = stage.rootVolume().backup().manager().orElseThrow();
    stage.world().network().separate(stage.manager(backup).name(), "sysmgr-1");
    stage.world().pass(30_000);
    Optional<ManagerId> next = stage.rootVolume().backup().manager();
    assertTrue(next.isPresent() && !next.get().equals(backup), next.toString());
    first.kill();
    assertArrayEquals(OLD, stage.read(client, "/before"));
    first.start();
    stage.heal();
  }

  /**
   * A fence may wait for an OSD as long as SysMgr hears that one. Meanwhile the row keeps the
   * manager that served before, which has all that was acknowledged: it may have to serve again.
   */
  @Test
  void whileAFenceWaitsTheRowKeepsItsOtherMember() throws Exception {
    Stage stage = pair(13, 2);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager first = stage.primary();
    SimulatedManager second = stage.other(first);
    Optional<ManagerId> firstId = stage.rootVolume().owner();
    stage.world().network().separate(second.name(), stage.world().osds().get(0).name());
    first.kill();
    stage
        .world()
        .await(
            "the backup is the primary",
            LONG_MILLIS,
            () -> !stage.rootVolume().owner().equals(firstId) && !second.health().isEmpty());
    stage.world().pass(3_000);
    assertFalse(second.isServing(), "an OSD is not fenced yet");
    assertEquals(firstId, stage.rootVolume().backup().manager());
    second.kill();
    first.start();
    assertArrayEquals(OLD, stage.read(client, "/before"));
    stage.heal();
    stage.assertHolds("/before", OLD);
  }

  /**
   * Two OSDs lose their power together, and the one that is back waits until it is known what the
   * other has lost. That one is given up while the volume's manager, which starts, waits for
   * another one to be fenced.
   */
  @Test
  void osdGivenUpDuringTheFenceCountsWithOtherPowerLosses() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(14));
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, "/open", Stage.WIDE, OLD);
    stage.call(Stage.write(file, 0, NEWS));
    StorageMap map = stage.map(stage.client(), "/open");
    SimulatedOsd back = stage.osd(map, 0);
    SimulatedOsd away = stage.osd(map, 1);
    SimulatedOsd silent = stage.osd(map, 2);
    SimulatedManager manager = stage.primary();
    manager.kill();
    stage.world().network().separate(manager.name(), silent.name());
    back.machine().losePower();
    away.machine().losePower();
    back.start();
    manager.start();
    stage.world().await("the fence waits", LONG_MILLIS, () -> says(manager, "fencing OSDs"));
    stage.world().await("it is given up", LONG_MILLIS, () -> isDown(stage, away));
    stage.world().pass(3_000);
    assertFalse(manager.isServing(), "an OSD is not fenced yet");
    stage.world().network().heal();
    // More than the rest of the start takes, and less than the OSD that is down is waited for.
    stage.world().pass(7_000);
    assertTrue(isQuarantined(stage, back), "the other one may have lost writes, too");
    away.start();
    stage.heal();
  }

  private static boolean says(SimulatedManager manager, String part) {
    return manager.health().stream().anyMatch(volume -> volume.getState().contains(part));
  }

  private static Optional<OsdRow> row(Stage stage, SimulatedOsd osd) {
    return stage.world().table().orElseThrow().getOsdsList().stream()
        .filter(row -> row.getOsdId() == osd.osdId())
        .findFirst();
  }

  private static boolean isDown(Stage stage, SimulatedOsd osd) {
    return row(stage, osd).orElseThrow().getState() == NodeState.DOWN;
  }

  private static boolean isQuarantined(Stage stage, SimulatedOsd osd) {
    return row(stage, osd).orElseThrow().getState() == NodeState.QUARANTINED;
  }
}
