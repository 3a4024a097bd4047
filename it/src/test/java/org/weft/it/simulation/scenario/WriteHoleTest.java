package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.osd.store.PendingKind;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** A writer dies in the middle of a stripe (P 5.4, 5.5). */
class WriteHoleTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, 1_000);

  private final Stage stage = Stage.boot();
  private final ClientNode writer;
  private final ClientNode other;
  private final WeftFile file;
  private final StorageMap map;
  private final long object;

  WriteHoleTest() throws Exception {
    writer = stage.client();
    other = stage.client();
    file = stage.open(writer, PATH, Stage.WIDE, OLD);
    map = stage.map(other, PATH);
    object = stage.objectId(other, PATH);
  }

  private void theWriterDies() throws Exception {
    writer.kill();
    // What still hangs in the network stays there.
    stage.awaitClosed(other, PATH);
    stage.world().network().heal();
  }

  @Test
  void anAcknowledgedChangeStaysThoughOnlyTwoUnitsCarryIt() throws Exception {
    var unused = stage.call(Stage.write(file, 100, NEWS));
    assertEquals(PendingKind.XOR_DATA, stage.pending(stage.dataOsd(map, 0), object).get(0).kind());
    theWriterDies();
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }

  @Test
  void acknowledgedChangeSurvivesLossOfAUnitAndItsWriter() throws Exception {
    var unused = stage.call(Stage.write(file, 100, NEWS));
    SimulatedOsd lost = stage.dataOsd(map, 0);
    lost.kill();
    theWriterDies();
    assertArrayEquals(Stage.changed(OLD, 100, NEWS), stage.read(other, PATH));
    stage.restart(lost);
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }

  @Test
  void completeWriteIsNotAppliedTwiceToAnotherComponent() throws Exception {
    SimulatedOsd data = stage.dataOsd(map, 0);
    var unused = stage.call(Stage.write(file, 100, NEWS));
    stage.world().network().cut(writer.name(), data.name());
    stage
        .world()
        .await(
            "the parity has heard of the completion",
            10_000,
            () -> stage.pending(stage.parityOsd(map), object).isEmpty());
    assertFalse(stage.pending(data, object).isEmpty(), "the data unit has not");
    theWriterDies();
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }

  @Test
  void aDeltaThatReachedNoParityIsAppliedThere() throws Exception {
    SimulatedOsd parity = stage.parityOsd(map);
    stage.world().network().cut(writer.name(), parity.name());
    CompletableFuture<Void> write = Stage.write(file, 100, NEWS);
    stage.awaitPending(stage.dataOsd(map, 0), object);
    stage.world().pass(200);
    assertFalse(write.isDone(), "the parity has not answered");
    theWriterDies();
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }

  @Test
  void aStripeThatEnoughUnitsHoldIsCompletedFromThem() throws Exception {
    byte[] wide = Stage.bytes(3, 2 * Stage.UNIT);
    SimulatedOsd late = stage.dataOsd(map, 1);
    stage.world().network().cut(writer.name(), late.name());
    CompletableFuture<Void> write = Stage.write(file, 0, wide);
    stage.awaitPending(stage.dataOsd(map, 0), object);
    stage.awaitPending(stage.parityOsd(map), object);
    assertTrue(stage.pending(late, object).isEmpty(), "the last unit is on its way");
    assertFalse(write.isDone());
    theWriterDies();
    stage.assertHolds(PATH, Stage.changed(OLD, 0, wide));
  }

  @Test
  void aStripeThatTooFewUnitsHoldIsUndone() throws Exception {
    byte[] wide = Stage.bytes(3, 2 * Stage.UNIT);
    stage.world().network().cut(writer.name(), stage.dataOsd(map, 1).name());
    stage.world().network().cut(writer.name(), stage.parityOsd(map).name());
    CompletableFuture<Void> write = Stage.write(file, 0, wide);
    stage.awaitPending(stage.dataOsd(map, 0), object);
    stage.world().pass(200);
    assertFalse(write.isDone());
    theWriterDies();
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void resolveWaitsForTheOnlyHolder() throws Exception {
    SimulatedOsd holder = stage.dataOsd(map, 0);
    stage.world().network().cut(writer.name(), stage.parityOsd(map).name());
    CompletableFuture<Void> write = Stage.write(file, 100, NEWS);
    stage.awaitPending(holder, object);
    String manager = stage.world().managers().get(0).name();
    stage.world().network().separate(manager, holder.name());
    writer.kill();
    stage.world().pass(20_000);
    assertFalse(write.isDone());
    assertFalse(
        stage.call(other.files().isClosed(WeftPath.of(PATH))),
        "the file waits for an OSD that SysMgr has not given up");
    stage.world().network().heal();
    stage.awaitClosed(other, PATH);
    stage.assertHolds(PATH, Stage.changed(OLD, 100, NEWS));
  }
}
