package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.it.simulation.world.ClientNode;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.it.simulation.world.WorldOptions;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A manager and OSDs do not hear each other, and SysMgr hears both (P 5.8, 6.2): its volume goes to
 * a backup that reaches them, and no healthy OSD is given up for it.
 */
class CutOffManagerTest {
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final long LONG_MILLIS = 120_000;
  private static final long MOST_MILLIS = 30_000;
  private static final int SEEDS = 3;

  private static Stage pair(long seed) {
    return pair(WorldOptions.of(seed));
  }

  private static Stage pair(WorldOptions options) {
    Stage stage = Stage.boot(options.withPairs(2));
    stage.awaitBackup();
    return stage;
  }

  private static void separate(Stage stage, ManagerNode manager, List<OsdNode> osds) {
    osds.forEach(osd -> stage.world().network().separate(manager.name(), osd.name()));
  }

  private static CompletableFuture<FileStatus> mkdir(ClientNode client, String path) {
    return client.files().mkdir(WeftPath.of(path), 0755);
  }

  private static long nowMillis(Stage stage) {
    return TimeUnit.NANOSECONDS.toMillis(stage.world().time().nowNanos());
  }

  private static void assertNoOsdGivenUp(Stage stage) {
    for (OsdNode osd : stage.world().osds()) {
      org.weft.sysmgr.configuration.node.OsdNode known =
          stage.world().configuration().orElseThrow().osds().get(new OsdId(osd.osdId()));
      assertTrue(known.unusable().isEmpty(), osd.name() + " is given up");
      assertEquals(Liveness.UP, known.node().liveness(), osd.name());
    }
  }

  /** Goes on until the volume is served by that manager, within the time that the rule allows. */
  private static void awaitGoneTo(Stage stage, ManagerNode to, long sinceMillis) {
    long leftMillis = sinceMillis + MOST_MILLIS - nowMillis(stage);
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
      ManagerNode cutOff = stage.primary();
      ManagerNode backup = stage.other(cutOff);
      long epoch = stage.rootVolume().epoch();
      long sinceMillis = nowMillis(stage);
      separate(stage, cutOff, stage.world().osds());
      var made = stage.call(mkdir(client, "/made"));
      awaitGoneTo(stage, backup, sinceMillis);
      var after = stage.call(mkdir(client, "/after"));
      assertTrue(nowMillis(stage) - sinceMillis <= MOST_MILLIS, "seed " + seed);
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
    ManagerNode serving = stage.primary();
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
      ManagerNode first = stage.primary();
      ManagerNode second = stage.other(first);
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
      assertTrue(nowMillis(stage) - sinceMillis <= MOST_MILLIS, "seed " + seed);
      assertNoOsdGivenUp(stage);
      stage.heal();
      stage.assertHolds("/before", OLD);
    }
  }

  @Test
  void noVolumeGoesToAndFroBetweenTwoManagersThatAreBothCutOff() throws Exception {
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
    OsdNode away = stage.world().osds().get(0);
    away.kill();
    stage.world().pass(10_000);
    ManagerNode cutOff = stage.primary();
    long sinceMillis = nowMillis(stage);
    separate(stage, cutOff, stage.world().osds().subList(1, 2));
    for (int number = 0; number < 10; number++) {
      var made = stage.call(mkdir(client, "/d" + number));
    }
    awaitGoneTo(stage, stage.other(cutOff), sinceMillis);
    var after = stage.call(mkdir(client, "/after"));
    assertTrue(nowMillis(stage) - sinceMillis <= MOST_MILLIS);
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
    ManagerNode cutOff = stage.primary();
    separate(stage, cutOff, stage.world().osds());
    var made = stage.call(mkdir(client, "/made"));
    stage.world().pass(90_000);
    assertNoOsdGivenUp(stage);
    stage.heal();
    assertArrayEquals(OLD, stage.read(client, "/before"));
  }
}
