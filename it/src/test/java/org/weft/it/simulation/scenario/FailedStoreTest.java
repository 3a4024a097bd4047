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
import org.weft.it.simulation.world.ClientNode;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.Liveness;

/**
 * An OSD whose store takes no changes any more and whose process goes on: it is down for everybody,
 * and nothing waits for it (P 5.8). Each with a disk on which the failure can be noted, and with
 * one on which it cannot.
 */
class FailedStoreTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final long SOON_MILLIS = 30_000;
  private static final int MANY_RECORDS = 2_000;

  /** Every write to the OSD's disk fails from now on, and it has noticed. */
  private static void fail(Stage stage, OsdNode osd, boolean foldersToo) {
    osd.machine().failWrites(foldersToo);
    stage.world().await("a write has failed", SOON_MILLIS, () -> osd.store().hasFailed());
  }

  private static Liveness liveness(Stage stage, OsdNode osd) {
    return stage
        .world()
        .configuration()
        .orElseThrow()
        .osds()
        .get(new OsdId(osd.osdId()))
        .node()
        .liveness();
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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itIsDownAtOnceAndComesBackThroughQuarantineWhenItWasStartedAgain(boolean foldersToo)
      throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    OsdNode failing = stage.dataOsd(stage.map(client, PATH), 0);
    failing.machine().failWrites(foldersToo);
    makeFiles(stage, client, "/f", 6);
    stage.world().await("its store fails", SOON_MILLIS, () -> failing.store().hasFailed());
    stage.world().await("it is down", 4_000, () -> liveness(stage, failing) == Liveness.DOWN);
    stage.world().pass(20_000);
    assertEquals(Liveness.DOWN, liveness(stage, failing), "its heartbeats go on");
    assertTrue(
        stage
            .world()
            .configuration()
            .orElseThrow()
            .osds()
            .get(new OsdId(failing.osdId()))
            .node()
            .storeFailed());
    failing.kill();
    failing.machine().repair();
    stage.restart(failing);
    stage.heal();
    assertEquals(Liveness.UP, liveness(stage, failing));
    assertEquals(
        1,
        stage
            .world()
            .configuration()
            .orElseThrow()
            .osds()
            .get(new OsdId(failing.osdId()))
            .quarantine()
            .number());
    stage.assertHolds(PATH, OLD);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aManagerThatStartsBesideItServes(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    OsdNode failing = stage.dataOsd(stage.map(client, PATH), 0);
    failing.machine().failWrites(foldersToo);
    ManagerNode manager = stage.world().managers().get(0);
    manager.kill();
    manager.start();
    stage.world().await("the manager serves", SOON_MILLIS, manager::isServing);
    assertArrayEquals(OLD, stage.read(stage.client(), PATH));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRoundsOfAManagerGoOn(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    makeFiles(stage, client, "/before", 8);
    stage.world().pass(1_500);
    // It has taken what a round brought, and no checkpoint covers that.
    OsdNode failing = stage.dataOsd(stage.map(client, "/before0"), 0);
    fail(stage, failing, foldersToo);
    for (int i = 0; i < MANY_RECORDS; i++) {
      var made = stage.call(client.files().mkdir(WeftPath.of("/after" + i), 0755));
    }
    // Whole files of the journal are dropped, once rounds that began later are over.
    stage
        .world()
        .await(
            "the journal is shorter",
            2 * SOON_MILLIS,
            () -> journalRecords(stage) < MANY_RECORDS / 2);
    makeFiles(stage, client, "/later", 8);
    assertArrayEquals(NEWS, stage.read(client, "/later7"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theFileOfADeadWriterIsPutInOrder(boolean foldersToo) throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    ClientNode next = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    OsdNode failing = stage.dataOsd(stage.map(next, PATH), 1);
    stage.call(Stage.write(file, 0, NEWS));
    failing.machine().failWrites(foldersToo);
    CompletableFuture<Void> write = file.write(Stage.UNIT, ByteBuffer.wrap(NEWS));
    stage.world().pass(5);
    writer.kill();
    assertTrue(!write.isDone() || write.isCompletedExceptionally());
    stage.awaitClosed(next, PATH);
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
