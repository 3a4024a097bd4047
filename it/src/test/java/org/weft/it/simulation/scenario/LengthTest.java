package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.it.simulation.world.ClientNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.protocol.layout.StorageMap;

/** How long a file is, what is behind its end, and what is not there at all (P 4.2, 4.3). */
class LengthTest {
  private static final String PATH = "/file";

  private final Stage stage = Stage.boot();

  @Test
  void aCopyIsNotReadForAUnitOnceTheFileHasGrownUnderItsReader() throws Exception {
    byte[] small = Stage.bytes(1, 3_000);
    ClientNode writer = stage.client();
    ClientNode reader = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, small);
    try (var opened = stage.call(reader.files().open(WeftPath.of(PATH)))) {
      byte[] wide = Stage.bytes(2, 3 * Stage.UNIT);
      stage.call(Stage.write(file, Stage.UNIT, wide));
      OsdNode first = stage.dataOsd(stage.map(writer, PATH), 0);
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
  void theLengthOfAnOpenFileIsKnownWithoutTheUnitThatItEndsIn() throws Exception {
    byte[] content = Stage.bytes(1, Stage.UNIT + 1_234);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, new byte[0]);
    stage.call(Stage.write(file, 0, content));
    StorageMap map = stage.map(other, PATH);
    OsdNode last = stage.dataOsd(map, 1);
    last.kill();
    writer.kill();
    stage.awaitClosed(other, PATH);
    assertArrayEquals(content, stage.read(other, PATH));
    stage.restart(last);
    stage.heal();
    assertArrayEquals(content, stage.read(other, PATH));
  }

  @Test
  void whatWasCutIsInNoParity() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, content);
    int size = Stage.UNIT + Stage.UNIT / 2;
    stage.call(file.setLength(size));
    stage.assertHolds(PATH, Arrays.copyOf(content, size));
    stage.call(file.setLength(Stage.STRIPE));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), Stage.STRIPE));
  }

  @Test
  void aCutWhoseWriterDiesIsFinishedByWhoComesNext() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, content);
    StorageMap map = stage.map(other, PATH);
    int size = Stage.UNIT + Stage.UNIT / 2;
    stage.world().network().cut(writer.name(), stage.parityOsd(map).name());
    CompletableFuture<Void> cut = file.setLength(size);
    stage.world().pass(1_000);
    assertFalse(cut.isDone(), "the parity has not heard of it");
    writer.kill();
    stage.world().network().heal();
    stage.awaitClosed(other, PATH);
    WeftFile next = stage.open(other, PATH);
    assertEquals(size, next.sizeBytes());
    stage.call(next.setLength(Stage.STRIPE));
    var closed = stage.call(next.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), Stage.STRIPE));
  }

  @Test
  void whatLiesBehindAnUnfinishedCutStillCountsWhenALostUnitIsDecoded() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, content);
    for (OsdNode osd : stage.world().osds()) {
      stage.world().network().cut(writer.name(), osd.name());
    }
    int size = Stage.UNIT + Stage.UNIT / 2;
    CompletableFuture<Void> cut = file.setLength(size);
    stage.world().pass(1_000);
    assertFalse(cut.isDone(), "no OSD has heard of it");
    writer.kill();
    stage.awaitClosed(other, PATH);
    stage.assertHolds(PATH, Arrays.copyOf(content, size));
  }

  /** Before any checkpoint: what was cut is on stable storage once the cut is over. */
  @Test
  void aCutThatIsOverIsKnownAfterMoreLossesOfPowerThanTheCodeBears() throws Exception {
    byte[] content = Stage.bytes(1, 3 * Stage.STRIPE + 500);
    ClientNode writer = stage.client();
    stage.put(writer, PATH, Stage.WIDE, content);
    StorageMap map = stage.map(writer, PATH);
    stage.world().pass(10_000);
    int size = Stage.UNIT / 2;
    stage.call(writer.files().truncate(WeftPath.of(PATH), size));
    for (int component : new int[] {2, 4}) {
      stage.osd(map, component).machine().losePower();
    }
    for (int component : new int[] {2, 4}) {
      stage.osd(map, component).start();
    }
    stage.heal();
    stage.assertHolds(PATH, Arrays.copyOf(content, size));
    WeftFile file = stage.open(stage.client(), PATH);
    stage.call(file.setLength(content.length));
    var closed = stage.call(file.close());
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), content.length));
  }

  /** The components that fell back cannot tell the file's length from that of its cut. */
  @Test
  void whatWasCutStaysZerosInAFileThatGrewBeforeItsOsdsLostTheirPower() throws Exception {
    byte[] content = Stage.bytes(1, 3 * Stage.STRIPE + 500);
    ClientNode writer = stage.client();
    stage.put(writer, PATH, Stage.WIDE, content);
    StorageMap map = stage.map(writer, PATH);
    stage.world().pass(10_000);
    int size = Stage.STRIPE;
    WeftFile file = stage.open(writer, PATH);
    stage.call(file.setLength(size));
    stage.call(file.setLength(content.length));
    var closed = stage.call(file.close());
    for (int component : new int[] {2, 4}) {
      stage.osd(map, component).machine().losePower();
    }
    for (int component : new int[] {2, 4}) {
      stage.osd(map, component).start();
    }
    stage.heal();
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), content.length));
  }

  /** It is journalled, and everything else is left to the next writer: the zeros, too. */
  @Test
  void aCutThatNoOsdHeardOfIsMadeByWhoComesNext() throws Exception {
    byte[] content = Stage.bytes(1, 2 * Stage.STRIPE);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, content);
    for (OsdNode osd : stage.world().osds()) {
      stage.world().network().cut(writer.name(), osd.name());
    }
    int size = Stage.UNIT + Stage.UNIT / 2;
    CompletableFuture<Void> cut = file.setLength(size);
    stage.world().pass(1_000);
    assertFalse(cut.isDone(), "no OSD has heard of it");
    writer.kill();
    stage.world().network().heal();
    stage.awaitClosed(other, PATH);
    WeftFile next = stage.open(other, PATH);
    assertEquals(size, next.sizeBytes());
    stage.call(next.setLength(Stage.STRIPE));
    var closed = stage.call(next.close());
    // Each unit is decoded from the others: what was cut is in no parity.
    stage.assertHolds(PATH, Arrays.copyOf(Arrays.copyOf(content, size), Stage.STRIPE));
  }

  @Test
  void aHoleIsToldFromALoss() throws Exception {
    byte[] end = Stage.bytes(1, 100);
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, new byte[0]);
    int position = 20 * Stage.STRIPE + 5_000;
    stage.call(Stage.write(file, position, end));
    var closed = stage.call(file.close());
    byte[] expected = Stage.changed(new byte[0], position, end);
    stage.assertHolds(PATH, expected);
    // Under its old name, with nothing on it.
    OsdNode wiped = stage.dataOsd(stage.map(writer, PATH), 1);
    wiped.machine().loseDisk();
    assertArrayEquals(expected, stage.read(stage.client(), PATH));
  }
}
