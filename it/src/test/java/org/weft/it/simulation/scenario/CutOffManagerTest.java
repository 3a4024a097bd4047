package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A manager and OSDs do not reach each other, and SysMgr reaches both (P 5.8, 6.2). Its volume goes
 * to a backup that reaches them, and no healthy OSD is given up for it.
 */
class CutOffManagerTest {
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final long LONG_MILLIS = 120_000;
  private static final long MAX_MILLIS = 30_000;
  private static final int SEEDS = 3;

  private static Stage pair(long seed) {
    return pair(WorldOptions.of(seed));
  }

  private static Stage pair(WorldOptions options) {
    Stage stage = Stage.boot(options.withPairs(2));
    stage.awaitBackup();
    return stage;
  }

  private static void separate(Stage stage, SimulatedManager manager, List<SimulatedOsd> osds) {
    osds.forEach(osd -> stage.world().network().separate(manager.name(), osd.name()));
  }

  private static CompletableFuture<FileStatus> mkdir(ClientNode client, String path) {
    return client.files().mkdir(WeftPath.of(path), 0755);
  }

  private static long nowMillis(Stage stage) {
    return TimeUnit.NANOSECONDS.toMillis(stage.world().time().nowNanos());
  }

  private static void assertNoOsdGivenUp(Stage stage) {
    for (SimulatedOsd osd : stage.world().osds()) {
      org.weft.sysmgr.configuration.node.OsdNode known =
          stage.world().configuration().orElseThrow().osds().get(new OsdId(osd.osdId()));
      assertTrue(known.unusable().isEmpty(), osd.name() + " is given up");
      assertEquals(Liveness.UP, known.node().liveness(), osd.name());
    }
  }

  /** Goes on until the volume is served by that manager, within the time that the rule allows. */
  private static void awaitGoneTo(Stage stage, SimulatedManager to, long sinceMillis) {
    long leftMillis = sinceMillis + MAX_MILLIS - nowMillis(stage);
    stage
        .world()
        .await(
            "the volume is served by " + to.name(),
            leftMillis,
            () -> to.isServing() && !to.health().isEmpty());
  }

  @Test
  void aVolumeGoesToABackupThatReachesTheOsds() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = pair(seed);
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      SimulatedManager cutOff = stage.primary();
      SimulatedManager backup = stage.other(cutOff);
      long epoch = stage.rootVolume().epoch();
      long sinceMillis = nowMillis(stage);
      separate(stage, cutOff, stage.world().osds());
      var made = stage.call(mkdir(client, "/made"));
      awaitGoneTo(stage, backup, sinceMillis);
      var after = stage.call(mkdir(client, "/after"));
      assertTrue(nowMillis(stage) - sinceMillis <= MAX_MILLIS, "seed " + seed);
      assertNoOsdGivenUp(stage);
      // What is cut off is the backup now, and lacks more than the primary.
      stage.world().pass(90_000);
      assertEquals(epoch + 1, stage.rootVolume().epoch(), "it stays there, seed " + seed);
      assertNoOsdGivenUp(stage);
      stage.heal();
      made = stage.call(client.files().attributes(WeftPath.of("/made")));
      stage.assertHolds("/before", OLD);
    }
  }

  /** Nothing is written that would wait for an OSD. */
  @Test
  void aVolumeThatIsOnlyReadGoesToo() throws Exception {
    Stage stage = pair(WorldOptions.of(4).withForgetful());
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    var made = stage.call(mkdir(client, "/made"));
    stage.put(client, "/made/file", Stage.WIDE, OLD);
    stage.world().pass(20_000);
    SimulatedManager serving = stage.primary();
    long sinceMillis = nowMillis(stage);
    separate(stage, serving, stage.world().osds());
    CompletableFuture<FileStatus> seen = client.files().attributes(WeftPath.of("/made/file"));
    awaitGoneTo(stage, stage.other(serving), sinceMillis);
    var file = stage.call(seen);
    stage.heal();
    stage.assertHolds("/made/file", OLD);
  }

  /** The former primary is back, and reaches what the promoted one waits for. */
  @Test
  void aPromotedManagerThatDoesNotReachOsdsGivesTheVolumeBack() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = pair(10 + seed);
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      SimulatedManager first = stage.primary();
      SimulatedManager second = stage.other(first);
      Optional<ManagerId> firstId = stage.rootVolume().owner();
      separate(stage, second, stage.world().osds().subList(0, 4));
      first.kill();
      stage
          .world()
          .await(
              "the backup is the primary",
              LONG_MILLIS,
              () -> !stage.rootVolume().owner().equals(firstId) && !second.health().isEmpty());
      assertFalse(second.isServing(), "it has not fenced the OSDs");
      CompletableFuture<FileStatus> made = mkdir(client, "/made");
      first.start();
      long sinceMillis = nowMillis(stage);
      awaitGoneTo(stage, first, sinceMillis);
      var directory = stage.call(made);
      assertTrue(nowMillis(stage) - sinceMillis <= MAX_MILLIS, "seed " + seed);
      assertNoOsdGivenUp(stage);
      stage.heal();
      stage.assertHolds("/before", OLD);
    }
  }

  private static void separate(Stage stage, SimulatedManager one, SimulatedManager other) {
    stage.world().network().separate(one.name(), other.name());
  }

  /** Its host is cut off, and SysMgr reaches that by another network. */
  @Test
  void primaryWithoutOsdsAndBackupDoesNotContinueAlone() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      for (boolean writes : new boolean[] {true, false}) {
        Stage stage = pair(50 + seed);
        ClientNode client = stage.client();
        stage.put(client, "/before", Stage.WIDE, OLD);
        SimulatedManager cutOff = stage.primary();
        SimulatedManager backup = stage.other(cutOff);
        long epoch = stage.rootVolume().epoch();
        long sinceMillis = nowMillis(stage);
        separate(stage, cutOff, stage.world().osds());
        separate(stage, cutOff, backup);
        CompletableFuture<FileStatus> made =
            writes ? mkdir(client, "/made") : CompletableFuture.completedFuture(null);
        awaitGoneTo(stage, backup, sinceMillis);
        var directory = stage.call(made);
        directory = stage.call(mkdir(client, "/after"));
        assertTrue(nowMillis(stage) - sinceMillis <= MAX_MILLIS, "seed " + seed);
        assertEquals(epoch + 1, stage.rootVolume().epoch());
        assertNoOsdGivenUp(stage);
        stage.heal();
        stage.awaitBackup();
        stage.assertHolds("/before", OLD);
        directory = stage.call(client.files().attributes(WeftPath.of("/after")));
      }
    }
  }

  /** Only the two managers do not reach each other: one of them has to go on alone. */
  @Test
  void primaryThatLosesOnlyItsBackupContinuesAlone() throws Exception {
    Stage stage = pair(61);
    ClientNode client = stage.client();
    SimulatedManager serving = stage.primary();
    long epoch = stage.rootVolume().epoch();
    long sinceMillis = nowMillis(stage);
    separate(stage, serving, stage.other(serving));
    var made = stage.call(mkdir(client, "/made"));
    assertTrue(nowMillis(stage) - sinceMillis <= 10_000, "it knows that it reaches all OSDs");
    assertEquals(epoch, stage.rootVolume().epoch());
    stage.heal();
  }

  /** A promoted manager serves nothing before it has fenced every OSD. */
  @Test
  void servedVolumeStaysWhenItsBackupLacksAnotherOsd() throws Exception {
    Stage stage = pair(71);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    List<SimulatedOsd> osds = stage.world().osds();
    osds.get(5).kill();
    stage.world().pass(10_000);
    SimulatedManager serving = stage.primary();
    separate(stage, serving, osds.subList(0, 2));
    separate(stage, stage.other(serving), osds.subList(2, 3));
    long endMillis = nowMillis(stage) + 300_000;
    for (int number = 0; nowMillis(stage) < endMillis; number++) {
      var made = stage.call(mkdir(client, "/d" + number));
      stage.world().pass(2_000);
    }
    assertTrue(serving.isServing());
    osds.get(5).start();
    stage.heal();
    stage.assertHolds("/before", OLD);
  }

  /** The backup is drained, and the only other manager does not reach the OSDs. */
  @Test
  void drainDoesNotMoveAVolumeToACutOffManager() throws Exception {
    Stage stage = pair(81);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedManager cutOff = stage.primary();
    SimulatedManager backup = stage.other(cutOff);
    long epoch = stage.rootVolume().epoch();
    int drained = stage.rootVolume().backup().manager().orElseThrow().value();
    var asked = stage.world().moves().drain(drained, false);
    stage.world().pass(5_000);
    long sinceMillis = nowMillis(stage);
    separate(stage, cutOff, stage.world().osds());
    awaitGoneTo(stage, backup, sinceMillis);
    stage.world().pass(600_000);
    assertEquals(epoch + 1, stage.rootVolume().epoch());
    assertTrue(backup.isServing());
    stage.world().network().heal();
    stage
        .world()
        .await("it moves back when it can be served there", LONG_MILLIS, cutOff::isServing);
    asked = stage.world().moves().drain(drained, true);
    stage.heal();
    stage.assertHolds("/before", OLD);
  }

  /** A manager that lacks half of the OSDs counts, and one of them would be given up. */
  @Test
  void osdThatTheBackupReachesIsNotGivenUp() throws Exception {
    for (int lacked = 1; lacked <= 3; lacked++) {
      Stage stage = pair(90 + lacked);
      ClientNode client = stage.client();
      stage.put(client, "/before", Stage.WIDE, OLD);
      SimulatedManager cutOff = stage.primary();
      long sinceMillis = nowMillis(stage);
      separate(stage, cutOff, stage.world().osds().subList(0, lacked));
      for (int number = 0; number < 10; number++) {
        var made = stage.call(mkdir(client, "/d" + number));
      }
      awaitGoneTo(stage, stage.other(cutOff), sinceMillis);
      stage.world().pass(60_000);
      assertNoOsdGivenUp(stage);
      stage.heal();
      stage.assertHolds("/before", OLD);
    }
  }

  /** It has the fewest volumes by then. */
  @Test
  void newVolumesAvoidAManagerThatDoesNotReachOsds() throws Exception {
    Stage stage = pair(95);
    SimulatedManager cutOff = stage.primary();
    Optional<ManagerId> cutOffId = stage.rootVolume().owner();
    long sinceMillis = nowMillis(stage);
    separate(stage, cutOff, stage.world().osds());
    awaitGoneTo(stage, stage.other(cutOff), sinceMillis);
    var made = stage.call(stage.world().bladeSets().createVolume("/new", "default"));
    Volume volume =
        stage.world().configuration().orElseThrow().volumes().values().stream()
            .filter(each -> each.path().equals("/new"))
            .findFirst()
            .orElseThrow();
    assertNotEquals(cutOffId, volume.owner());
    stage.heal();
  }

  @Test
  void volumesDoNotBounceBetweenTwoCutOffManagers() throws Exception {
    Stage stage = pair(21);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    Volume before = stage.rootVolume();
    stage.world().managers().forEach(each -> separate(stage, each, stage.world().osds()));
    var made = stage.call(mkdir(client, "/made"));
    stage.world().pass(180_000);
    assertEquals(before.epoch(), stage.rootVolume().epoch());
    assertEquals(before.owner(), stage.rootVolume().owner());
    assertNoOsdGivenUp(stage);
    stage.heal();
    made = stage.call(client.files().attributes(WeftPath.of("/made")));
    stage.assertHolds("/before", OLD);
  }

  /** SysMgr may give no other OSD up, and the backup reaches this one. */
  @Test
  void aVolumeGoesWhereFilesBearNoFurtherLoss() throws Exception {
    Stage stage = pair(31);
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    SimulatedOsd away = stage.world().osds().get(0);
    away.kill();
    stage.world().pass(10_000);
    SimulatedManager cutOff = stage.primary();
    long sinceMillis = nowMillis(stage);
    separate(stage, cutOff, stage.world().osds().subList(1, 2));
    for (int number = 0; number < 10; number++) {
      var made = stage.call(mkdir(client, "/d" + number));
    }
    awaitGoneTo(stage, stage.other(cutOff), sinceMillis);
    var after = stage.call(mkdir(client, "/after"));
    assertTrue(nowMillis(stage) - sinceMillis <= MAX_MILLIS);
    away.start();
    stage.heal();
    stage.assertHolds("/before", OLD);
  }

  /** A round of a quiet volume waits for two or three OSDs, which are as well as all others. */
  @Test
  void noHealthyOsdIsGivenUpForAManagersBadCable() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(41).withOsds(10));
    ClientNode client = stage.client();
    stage.put(client, "/before", Stage.WIDE, OLD);
    stage.world().pass(20_000);
    SimulatedManager cutOff = stage.primary();
    separate(stage, cutOff, stage.world().osds());
    var made = stage.call(mkdir(client, "/made"));
    stage.world().pass(90_000);
    assertNoOsdGivenUp(stage);
    stage.heal();
    assertArrayEquals(OLD, stage.read(client, "/before"));
  }
}
