package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** Several clients write one file (P 5.3, 5.5, 6.5). */
class SharedWritersTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] ONE = Stage.bytes(2, 1_000);
  private static final byte[] TWO = Stage.bytes(3, 1_000);

  private final Stage stage = Stage.boot();

  private WeftFile share(ClientNode client) throws WeftException {
    return stage.call(client.files().openForUpdate(WeftPath.of(PATH), true));
  }

  @Test
  void twoWritersOfADegradedStripeBothSucceed() throws Exception {
    ClientNode first = stage.client();
    ClientNode second = stage.client();
    stage.put(first, PATH, Stage.WIDE, OLD);
    StorageMap map = stage.map(first, PATH);
    WeftFile one = share(first);
    WeftFile two = share(second);
    SimulatedOsd lost = stage.dataOsd(map, 2);
    lost.kill();
    CompletableFuture<Void> third = Stage.write(one, 2 * Stage.UNIT, ONE);
    CompletableFuture<Void> other = Stage.write(two, Stage.UNIT, TWO);
    stage.call(third);
    stage.call(other);
    var closed = stage.call(one.close());
    var alsoClosed = stage.call(two.close());
    byte[] expected = Stage.changed(Stage.changed(OLD, 2 * Stage.UNIT, ONE), Stage.UNIT, TWO);
    assertArrayEquals(expected, stage.read(stage.client(), PATH));
    stage.restart(lost);
    stage.heal();
    assertArrayEquals(expected, stage.read(stage.client(), PATH));
  }

  @Test
  void oldAcknowledgedBytesSurviveAnotherWritersDeathAndAnOsd() throws Exception {
    ClientNode first = stage.client();
    ClientNode second = stage.client();
    stage.put(first, PATH, Stage.WIDE, OLD);
    StorageMap map = stage.map(first, PATH);
    long object = stage.objectId(first, PATH);
    WeftFile one = share(first);
    WeftFile two = share(second);
    stage.call(Stage.write(two, Stage.UNIT, TWO));
    stage.world().pass(30_000);
    stage.world().network().cut(first.name(), stage.parityOsd(map).name());
    CompletableFuture<Void> hanging = Stage.write(one, 0, ONE);
    stage.awaitPending(stage.dataOsd(map, 0), object);
    first.kill();
    SimulatedOsd lost = stage.dataOsd(map, 1);
    lost.kill();
    stage.world().network().heal();
    stage.call(Stage.write(two, Stage.STRIPE, TWO));
    var closed = stage.call(two.close());
    stage.awaitClosed(second, PATH);
    byte[] known = Stage.changed(Stage.changed(OLD, Stage.UNIT, TWO), Stage.STRIPE, TWO);
    byte[] found = stage.read(stage.client(), PATH);
    byte[] withHanging = Stage.changed(known, 0, ONE);
    assertArrayEquals(hanging.isDone() || found[0] == ONE[0] ? withHanging : known, found);
  }

  /** It does not write, so that no write asks the manager for another grant. */
  @Test
  void aReaderReadsOnAfterAnotherClientHasGivenUp() throws Exception {
    ClientNode first = stage.client();
    ClientNode second = stage.client();
    stage.put(first, PATH, Stage.WIDE, OLD);
    WeftFile one = share(first);
    WeftFile two = share(second);
    stage.call(Stage.write(one, Stage.STRIPE, ONE));
    assertArrayEquals(Arrays.copyOf(OLD, 1_000), read(two));
    stage.call(one.abort());
    stage.world().pass(20_000);
    assertArrayEquals(Arrays.copyOf(OLD, 1_000), read(two));
    stage.call(Stage.write(two, 0, TWO));
    assertArrayEquals(TWO, read(two));
  }

  private byte[] read(WeftFile file) throws WeftException {
    ByteBuffer target = ByteBuffer.allocate(1_000);
    stage.call(file.read(0, target));
    return target.array();
  }
}
