package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** An answer is lost, and so is the memory of the process that gave it (P 5.4, 6.4). */
class RetryTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, 1_000);
  private static final byte[] MORE = Stage.bytes(3, 2_000);

  private final Stage stage = Stage.boot();

  private void loseTheAnswerAndRestart(
      ClientNode client, SimulatedOsd osd, long object, CompletableFuture<Void> write) {
    stage.awaitPending(osd, object);
    stage.world().pass(1);
    assertFalse(write.isDone(), "its answer is under way");
    osd.kill();
    stage.world().network().heal();
    stage.restart(osd);
  }

  @Test
  void deltaOfAChangeSurvivesARestartOfItsOsd() throws Exception {
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, PATH, Stage.WIDE, OLD);
    SimulatedOsd data = stage.dataOsd(stage.map(client, PATH), 0);
    stage.world().network().cut(data.name(), client.name());
    CompletableFuture<Void> write = Stage.write(file, 100, NEWS);
    loseTheAnswerAndRestart(client, data, stage.objectId(client, PATH), write);
    var written = stage.call(write);
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }

  @Test
  void aParityTakesEachDeltaOnceThoughOthersCameBetween() throws Exception {
    ClientNode client = stage.client();
    WeftFile file = stage.open(client, PATH, Stage.WIDE, OLD);
    StorageMap map = stage.map(client, PATH);
    SimulatedOsd parity = stage.parityOsd(map);
    stage.world().network().cut(parity.name(), client.name());
    CompletableFuture<Void> first = Stage.write(file, 100, NEWS);
    CompletableFuture<Void> second = Stage.write(file, Stage.UNIT + 100, MORE);
    long object = stage.objectId(client, PATH);
    stage.world().await("both are there", 10_000, () -> stage.pending(parity, object).size() == 2);
    loseTheAnswerAndRestart(client, parity, object, first);
    stage.call(first);
    stage.call(second);
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Stage.changed(Stage.changed(OLD, 100, NEWS), Stage.UNIT + 100, MORE));
  }

  @Test
  void renameIsExecutedOnceThoughTheManagerDied() throws Exception {
    ClientNode client = stage.client();
    ClientNode other = stage.client();
    stage.put(client, "/a", Stage.WIDE, OLD);
    SimulatedManager manager = stage.world().managers().get(0);
    stage.world().network().cut(manager.name(), client.name());
    CompletableFuture<Void> rename =
        client.files().rename(WeftPath.of("/a"), WeftPath.of("/b"), false);
    var there = stage.call(settled(other, "/b"));
    assertFalse(rename.isDone(), "its answer is under way");
    manager.kill();
    stage.world().network().heal();
    manager.start();
    stage.call(rename);
    assertEquals(
        ErrorCode.NOT_FOUND, stage.failureOf(other.files().attributes(WeftPath.of("/a"))).code());
    stage.assertHolds("/b", OLD);
  }

  /** Asks until the name is there. */
  private static CompletableFuture<Boolean> settled(ClientNode client, String path) {
    return client
        .files()
        .attributes(WeftPath.of(path))
        .handle((status, failure) -> failure == null)
        .thenCompose(
            there -> there ? CompletableFuture.completedFuture(true) : settled(client, path));
  }
}
