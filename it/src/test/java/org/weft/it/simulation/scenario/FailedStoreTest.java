package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.node.Liveness;

/**
 * An OSD whose store takes no changes any more and whose process goes on (P 5.8). It is down for
 * all clients, and nothing waits for it. Each with a disk on which the failure can be noted, and
 * with one on which it cannot.
 */
class FailedStoreTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final long SOON_MILLIS = 30_000;
  private static final long ANSWER_MILLIS = 50;
  private static final int MANY_RECORDS = 2_000;

  /** Every write to the OSD's disk fails from now on, and it has noticed. */
  private static void fail(Stage stage, SimulatedOsd osd, boolean foldersToo) {
    osd.machine().failWrites(foldersToo);
    stage.world().await("a write has failed", SOON_MILLIS, () -> osd.store().hasFailed());
  }

  private static org.weft.sysmgr.configuration.node.OsdNode known(Stage stage, SimulatedOsd osd) {
    return stage.world().configuration().orElseThrow().osds().get(new OsdId(osd.osdId()));
  }

  private static Liveness liveness(Stage stage, SimulatedOsd osd) {
    return known(stage, osd).node().liveness();
  }

  /** As it has said itself: neither its silence nor a manager's patience brought it there. */
  private static void assertDownForItsStore(Stage stage, SimulatedOsd osd) {
    assertEquals(Liveness.DOWN, liveness(stage, osd));
    assertTrue(known(stage, osd).node().storeFailed(), "SysMgr knows that its store failed");
    assertTrue(known(stage, osd).unusable().isEmpty(), "no manager had to give it up");
  }

  private static long journalRecords(Stage stage) {
    return stage.world().managers().get(0).health().stream()
        .mapToLong(VolumeHealth::getJournalRecords)
        .sum();
  }

  private static void makeFiles(Stage stage, ClientNode client, String prefix, int count)
      throws Exception {
    for (int i = 0; i < count; i++) {
      stage.put(client, prefix + i, Stage.WIDE, NEWS);
    }
  }

  private static void makeDirectories(Stage stage, ClientNode client, String prefix, int count)
      throws Exception {
    for (int i = 0; i < count; i++) {
      var made = stage.call(client.files().mkdir(WeftPath.of(prefix + i), 0755));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void osdWithAFailedStoreIsDownAndReturnsThroughQuarantine(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd failing = stage.dataOsd(stage.map(client, PATH), 0);
    failing.machine().failWrites(foldersToo);
    makeFiles(stage, client, "/f", 6);
    stage.world().await("its store fails", SOON_MILLIS, () -> failing.store().hasFailed());
    stage.world().await("it is down", 4_000, () -> liveness(stage, failing) == Liveness.DOWN);
    stage.world().pass(20_000);
    assertDownForItsStore(stage, failing);
    failing.kill();
    failing.machine().repair();
    stage.restart(failing);
    stage.heal();
    assertEquals(Liveness.UP, liveness(stage, failing));
    assertEquals(1, known(stage, failing).quarantine().number());
    stage.assertHolds(PATH, OLD);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aManagerThatStartsBesideItServes(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd failing = stage.dataOsd(stage.map(client, PATH), 0);
    failing.machine().failWrites(foldersToo);
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    manager.start();
    stage.world().await("the manager serves", SOON_MILLIS, manager::isServing);
    assertDownForItsStore(stage, failing);
    assertArrayEquals(OLD, stage.read(stage.client(), PATH));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRoundsOfAManagerGoOn(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    makeFiles(stage, client, "/before", 8);
    SimulatedOsd failing = stage.dataOsd(stage.map(client, "/before0"), 0);
    long objects = failing.store().status().objects();
    makeDirectories(stage, client, "/first", 20);
    // It takes what a round brings, and answers so: no checkpoint covers that.
    stage
        .world()
        .await(
            "a round has come to it",
            SOON_MILLIS,
            () -> failing.store().status().objects() > objects);
    stage.world().pass(ANSWER_MILLIS);
    fail(stage, failing, foldersToo);
    makeDirectories(stage, client, "/after", MANY_RECORDS);
    // Whole files of the journal are dropped, once rounds that began later are over.
    stage
        .world()
        .await(
            "the journal is shorter",
            2 * SOON_MILLIS,
            () -> journalRecords(stage) < MANY_RECORDS / 2);
    assertDownForItsStore(stage, failing);
    makeFiles(stage, client, "/later", 8);
    assertArrayEquals(NEWS, stage.read(client, "/later7"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deadWritersFileIsResolvedBesideAFailedStore(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    ClientNode next = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    SimulatedOsd failing = stage.dataOsd(stage.map(next, PATH), 1);
    stage.call(Stage.write(file, 0, NEWS));
    // Its word on the OSD comes to no manager: recovery itself meets the failed store.
    SimulatedManager manager = stage.world().managers().get(0);
    stage.world().network().separate(writer.name(), manager.name());
    failing.machine().failWrites(foldersToo);
    CompletableFuture<Void> write = file.write(Stage.UNIT, ByteBuffer.wrap(NEWS));
    stage.world().pass(5);
    writer.kill();
    assertTrue(!write.isDone() || write.isCompletedExceptionally());
    stage.awaitClosed(next, PATH);
    assertDownForItsStore(stage, failing);
    byte[] found = stage.read(next, PATH);
    byte[] without = Stage.changed(OLD, 0, NEWS);
    byte[] with = Stage.changed(without, Stage.UNIT, NEWS);
    boolean isDone = found[Stage.UNIT] == with[Stage.UNIT];
    assertArrayEquals(isDone ? with : without, found);
    WeftFile taken = stage.open(next, PATH);
    stage.call(Stage.write(taken, 0, Stage.bytes(3, Stage.UNIT)));
    var closed = stage.call(taken.close());
    assertTrue(!stage.call(next.files().attributes(WeftPath.of(PATH))).map().isEmpty());
  }
}
