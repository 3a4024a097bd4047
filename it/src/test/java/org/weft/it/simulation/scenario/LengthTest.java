package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** How long a file is, what is behind its end, and what is not there at all (P 4.2, 4.3). */
class LengthTest {
  private static final String PATH = "/file";
  private static final int CUT_BYTES = Stage.UNIT + Stage.UNIT / 2;

  private final Stage stage = Stage.boot();

  @Test
  void parityIsNotReadAsACopyOfAGrownFile() throws Exception {
    byte[] small = Stage.bytes(1, 3_000);
    ClientNode writer = stage.client();
    ClientNode reader = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, small);
    try (var opened = stage.call(reader.files().open(WeftPath.of(PATH)))) {
      byte[] wide = Stage.bytes(2, 3 * Stage.UNIT);
      stage.call(Stage.write(file, Stage.UNIT, wide));
      SimulatedOsd first = stage.dataOsd(stage.map(writer, PATH), 0);
      first.pause();
      assertArrayEquals(small, stage.read(opened, small.length), "its parity is no copy now");
      first.resume();
    }
    var closed = stage.call(file.close());
    byte[] all = Stage.changed(small, Stage.UNIT, Stage.bytes(2, 3 * Stage.UNIT));
    stage.heal();
    stage.assertHolds(PATH, all);
  }

  @Test
  void openFilesLengthIsKnownWithoutItsLastUnit() throws Exception {
    byte[] content = Stage.bytes(1, Stage.UNIT + 1_234);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, new byte[0]);
    stage.call(Stage.write(file, 0, content));
    StorageMap map = stage.map(other, PATH);
    SimulatedOsd last = stage.dataOsd(map, 1);
    last.kill();
    writer.kill();
    stage.awaitClosed(other, PATH);
    assertArrayEquals(content, stage.read(other, PATH));
    stage.restart(last);
    stage.heal();
    assertArrayEquals(content, stage.read(other, PATH));
  }

  @Test
  void truncatedBytesLeaveTheParity() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, content);
    stage.call(file.setLength(CUT_BYTES));
    stage.assertHolds(PATH, Arrays.copyOf(content, CUT_BYTES));
    stage.call(file.setLength(Stage.STRIPE));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, CUT_BYTES), Stage.STRIPE));
  }

  /** A client cuts the file and dies, and these OSDs have not heard of it. */
  private Stage.OpenedFile cutByADeadWriter(
      byte[] content, int size, Function<StorageMap, List<SimulatedOsd>> unheard) throws Exception {
    Stage.OpenedFile opened = stage.opened(PATH, content);
    for (SimulatedOsd osd : unheard.apply(opened.map())) {
      stage.world().network().cut(opened.writer().name(), osd.name());
    }
    CompletableFuture<Void> cut = opened.file().setLength(size);
    stage.world().pass(1_000);
    assertFalse(cut.isDone(), "not every OSD has heard of it");
    opened.writer().kill();
    return opened;
  }

  /** Each unit is decoded from the others: what was cut is in no parity. */
  private void assertIsFinished(ClientNode next, byte[] content, int size) throws Exception {
    stage.world().network().heal();
    stage.awaitClosed(next, PATH);
    WeftFile file = stage.open(next, PATH);
    assertEquals(size, file.sizeBytes());
    stage.call(file.setLength(Stage.STRIPE));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), Stage.STRIPE));
  }

  @Test
  void aCutWhoseWriterDiesIsFinishedByTheNextWriter() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    Stage.OpenedFile opened =
        cutByADeadWriter(content, CUT_BYTES, map -> List.of(stage.parityOsd(map)));
    assertIsFinished(opened.other(), content, CUT_BYTES);
  }

  /** It is journalled, and everything else is left to the next writer: the zeros, too. */
  @Test
  void nextWriterMakesATruncationThatReachedNoOsd() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    Stage.OpenedFile opened = cutByADeadWriter(content, CUT_BYTES, map -> stage.world().osds());
    assertIsFinished(opened.other(), content, CUT_BYTES);
  }

  @Test
  void decodingUsesBytesBehindAnUnfinishedTruncation() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    Stage.OpenedFile opened = cutByADeadWriter(content, CUT_BYTES, map -> stage.world().osds());
    stage.awaitClosed(opened.other(), PATH);
    stage.assertHolds(PATH, Arrays.copyOf(content, CUT_BYTES));
  }

  /** A new file, and time enough for it to be under a checkpoint. */
  private StorageMap settledFile(ClientNode writer, byte[] content) throws Exception {
    stage.put(writer, PATH, Stage.WIDE, content);
    StorageMap map = stage.map(writer, PATH);
    stage.world().pass(10_000);
    return map;
  }

  /** More than the code bears lose their power at once, and are back. */
  private void loseTwo(StorageMap map) {
    stage.osd(map, 2).machine().losePower();
    stage.osd(map, 4).machine().losePower();
    stage.osd(map, 2).start();
    stage.osd(map, 4).start();
    stage.heal();
  }

  /** Before any checkpoint: what was cut is on stable storage once the cut is over. */
  @Test
  void finishedTruncationSurvivesTooManyPowerLosses() throws Exception {
    byte[] content = Stage.bytes(1, 3 * Stage.STRIPE + 500);
    ClientNode writer = stage.client();
    StorageMap map = settledFile(writer, content);
    int size = Stage.UNIT / 2;
    stage.call(writer.files().truncate(WeftPath.of(PATH), size));
    loseTwo(map);
    stage.assertHolds(PATH, Arrays.copyOf(content, size));
    WeftFile file = stage.open(stage.client(), PATH);
    stage.call(file.setLength(content.length));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), content.length));
  }

  /** The components that fell back cannot tell the file's length from that of its cut. */
  @Test
  void truncatedBytesStayZerosInAGrownFileAfterPowerLosses() throws Exception {
    byte[] content = Stage.bytes(1, 3 * Stage.STRIPE + 500);
    ClientNode writer = stage.client();
    StorageMap map = settledFile(writer, content);
    int size = Stage.STRIPE;
    WeftFile file = stage.open(writer, PATH);
    stage.call(file.setLength(size));
    stage.call(file.setLength(content.length));
    var closed = stage.call(file.close());
    loseTwo(map);
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), content.length));
  }

  @Test
  void holeIsDistinguishedFromALoss() throws Exception {
    byte[] end = Stage.bytes(1, 100);
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, new byte[0]);
    int position = 20 * Stage.STRIPE + 5_000;
    stage.call(Stage.write(file, position, end));
    var closed = stage.call(file.close());
    byte[] expected = Stage.changed(new byte[0], position, end);
    stage.assertHolds(PATH, expected);
    // Under its old name, with nothing on it.
    SimulatedOsd wiped = stage.dataOsd(stage.map(writer, PATH), 1);
    wiped.machine().loseDisk();
    assertArrayEquals(expected, stage.read(stage.client(), PATH));
  }
}
