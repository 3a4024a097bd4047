package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** A file that several clients have open is cut and grown by any of them (P 4.3, 6.5.75 ff.). */
class SharedCutTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 3 * Stage.STRIPE + 500);
  private static final byte[] MORE = Stage.bytes(2, 1_000);
  private static final int CUT_BYTES = Stage.UNIT + Stage.UNIT / 2;
  private static final int SMALL_BYTES = Stage.UNIT / 2;

  private final Stage stage = Stage.boot();

  /** Two clients that have the file open, and have written to it both. */
  private record Sharing(ClientNode first, WeftFile one, ClientNode second, WeftFile two) {}

  private WeftFile share(ClientNode client) throws WeftException {
    return stage.call(client.files().openForUpdate(WeftPath.of(PATH), true));
  }

  private Sharing sharing() throws WeftException {
    ClientNode first = stage.client();
    ClientNode second = stage.client();
    stage.put(first, PATH, Stage.WIDE, new byte[0]);
    WeftFile one = share(first);
    WeftFile two = share(second);
    stage.call(Stage.write(one, 0, Arrays.copyOf(OLD, Stage.STRIPE)));
    byte[] rest = Arrays.copyOfRange(OLD, Stage.STRIPE, OLD.length);
    stage.call(Stage.write(two, Stage.STRIPE, rest));
    return new Sharing(first, one, second, two);
  }

  private static byte[] cut(int sizeBytes, int newSizeBytes) {
    return Arrays.copyOf(Arrays.copyOf(OLD, sizeBytes), newSizeBytes);
  }

  private byte[] read(WeftFile file, int from, int length) throws WeftException {
    ByteBuffer target = ByteBuffer.allocate(length);
    int count = stage.call(file.read(from, target));
    return Arrays.copyOf(target.array(), Math.max(0, count));
  }

  private void close(WeftFile... files) throws WeftException {
    for (WeftFile file : files) {
      var closed = stage.call(file.close());
    }
  }

  @Test
  void truncatedBytesReadAsZerosBeforeALaterWrite() throws Exception {
    for (int size : List.of(CUT_BYTES, SMALL_BYTES, 0)) {
      Sharing open = sharing();
      stage.call(open.one().setLength(size));
      assertArrayEquals(new byte[0], read(open.two(), size, 100), "behind the end");
      int position = 2 * Stage.STRIPE + 100;
      stage.call(Stage.write(open.two(), position, MORE));
      byte[] expected = Stage.changed(cut(size, position), position, MORE);
      assertArrayEquals(expected, read(open.one(), 0, OLD.length));
      close(open.one(), open.two());
      stage.assertHolds(PATH, expected);
      stage.call(open.first().files().unlink(WeftPath.of(PATH)));
    }
  }

  /** It has not heard of the cut, and tells the length of before. */
  @Test
  void theLengthOfBeforeACutDoesNotComeBack() throws Exception {
    Sharing open = sharing();
    stage.call(open.two().hflush());
    stage.call(open.one().setLength(CUT_BYTES));
    stage.call(open.two().hflush());
    stage.call(open.two().hsync());
    assertArrayEquals(cut(CUT_BYTES, CUT_BYTES), stage.read(stage.client(), PATH));
    close(open.two(), open.one());
    stage.assertHolds(PATH, cut(CUT_BYTES, CUT_BYTES));
  }

  /** What was published is said again to a manager that starts (P 6.5.28). */
  @Test
  void oldLengthDoesNotReturnWithAnotherManager() throws Exception {
    Sharing open = sharing();
    stage.call(open.two().hflush());
    stage.call(open.one().setLength(CUT_BYTES));
    stage.call(Stage.write(open.one(), CUT_BYTES, MORE));
    stage.call(open.one().hflush());
    SimulatedManager manager = stage.primary();
    manager.kill();
    manager.start();
    byte[] expected = Stage.changed(cut(CUT_BYTES, CUT_BYTES), CUT_BYTES, MORE);
    assertArrayEquals(expected, stage.read(stage.client(), PATH));
    close(open.two(), open.one());
    stage.assertHolds(PATH, expected);
  }

  @Test
  void concurrentSetLengthsSucceed() throws Exception {
    Sharing open = sharing();
    for (int round = 0; round < 5; round++) {
      CompletableFuture<Void> shorter = open.one().setLength(CUT_BYTES);
      CompletableFuture<Void> longer = open.two().setLength(2 * Stage.STRIPE);
      CompletableFuture<Void> written = Stage.write(open.one(), 0, MORE);
      stage.call(shorter);
      stage.call(longer);
      stage.call(written);
      byte[] all = read(open.one(), 0, OLD.length);
      byte[] expected = Stage.changed(cut(CUT_BYTES, all.length), 0, MORE);
      assertEquals(true, all.length == CUT_BYTES || all.length == 2 * Stage.STRIPE);
      assertArrayEquals(expected, all);
      stage.call(open.two().setLength(OLD.length));
      stage.call(Stage.write(open.two(), 0, OLD));
    }
    close(open.one(), open.two());
    stage.assertHolds(PATH, OLD);
  }

  /** Journalled, and these OSDs have not heard of it: the cutter dies before it is over. */
  private CompletableFuture<Void> dyingCut(Sharing open, int size, List<SimulatedOsd> unheard) {
    for (SimulatedOsd osd : unheard) {
      stage.world().network().cut(open.first().name(), osd.name());
    }
    CompletableFuture<Void> cut = open.one().setLength(size);
    stage.world().pass(1_000);
    assertFalse(cut.isDone(), "not every OSD has heard of it");
    open.first().kill();
    stage.world().network().heal();
    return cut;
  }

  private void assertIsFinishedByTheOther(int size, boolean nothingDone) throws Exception {
    Sharing open = sharing();
    StorageMap map = stage.map(open.second(), PATH);
    var unused =
        dyingCut(open, size, nothingDone ? stage.world().osds() : List.of(stage.parityOsd(map)));
    int position = 2 * Stage.STRIPE + 100;
    CompletableFuture<Void> write = Stage.write(open.two(), position, MORE);
    CompletableFuture<Void> flush = open.two().hsync();
    stage.call(write);
    stage.call(flush);
    byte[] expected = Stage.changed(cut(size, position), position, MORE);
    assertArrayEquals(expected, read(open.two(), 0, OLD.length));
    close(open.two());
    stage.heal();
    stage.assertHolds(PATH, expected);
  }

  @Test
  void aCutWhoseWriterDiesIsFinishedByAnotherBeforeItWrites() throws Exception {
    assertIsFinishedByTheOther(CUT_BYTES, false);
  }

  @Test
  void sharerMakesATruncationThatReachedNoOsdBeforeWriting() throws Exception {
    assertIsFinishedByTheOther(CUT_BYTES, true);
  }

  @Test
  void sharerFinishesATruncationToASmallFileBeforeWriting() throws Exception {
    assertIsFinishedByTheOther(SMALL_BYTES, true);
  }

  /** It read and wrote nothing since: the next writer that is let in finishes the cut. */
  @Test
  void aCutIsLeftToTheNextWriterByOneThatCloses() throws Exception {
    Sharing open = sharing();
    var unused = dyingCut(open, CUT_BYTES, stage.world().osds());
    stage.world().pass(15_000);
    close(open.two());
    assertArrayEquals(cut(CUT_BYTES, CUT_BYTES), stage.read(stage.client(), PATH));
    WeftFile next = stage.open(stage.client(), PATH);
    stage.call(next.setLength(OLD.length));
    close(next);
    stage.assertHolds(PATH, cut(CUT_BYTES, OLD.length));
  }

  /** The second dies, too, while it finishes what the first began: the manager does it then. */
  @Test
  void aCutWhoseSecondWriterDiesIsFinishedByTheManager() throws Exception {
    Sharing open = sharing();
    var unused = dyingCut(open, CUT_BYTES, stage.world().osds());
    StorageMap map = stage.map(open.second(), PATH);
    stage.world().network().cut(open.second().name(), stage.parityOsd(map).name());
    CompletableFuture<Void> write = Stage.write(open.two(), 0, MORE);
    stage.world().pass(20_000);
    assertFalse(write.isDone(), "its parity has not heard of the cut");
    open.second().kill();
    stage.world().network().heal();
    stage.awaitClosed(stage.client(), PATH);
    stage.heal();
    stage.assertHolds(PATH, cut(CUT_BYTES, CUT_BYTES));
  }

  /** All grants are fenced then, the cutter's with them, in whatever step it is. */
  @Test
  void truncationSurvivesTheDeathOfAnotherWriter() throws Exception {
    for (int millis : List.of(0, 1, 3, 10, 9_000, 9_900, 9_990, 10_000, 10_010)) {
      Sharing open = sharing();
      ClientNode third = stage.client();
      WeftFile three = share(third);
      stage.call(Stage.write(three, 0, Arrays.copyOf(OLD, 100)));
      StorageMap map = stage.map(open.second(), PATH);
      String parity = stage.parityOsd(map).name();
      stage.world().network().cut(open.first().name(), parity);
      third.kill();
      stage.world().pass(millis);
      CompletableFuture<Void> cut = open.one().setLength(CUT_BYTES);
      stage.world().pass(4_000);
      stage.world().network().heal();
      stage.call(cut);
      stage.call(Stage.write(open.two(), Stage.STRIPE, MORE));
      close(open.one(), open.two());
      byte[] expected = Stage.changed(cut(CUT_BYTES, Stage.STRIPE), Stage.STRIPE, MORE);
      stage.awaitClosed(open.second(), PATH);
      stage.assertHolds(PATH, expected);
      stage.call(open.first().files().unlink(WeftPath.of(PATH)));
    }
  }

  /** It owns all, so that only the manager's answer tells it (P 6.5.75). */
  @Test
  void fencedWriterSetsTheLengthUnderItsNextGrant() throws Exception {
    ClientNode first = stage.client();
    stage.put(first, PATH, Stage.WIDE, OLD);
    for (int size : List.of(CUT_BYTES, 2 * Stage.STRIPE)) {
      WeftFile one = share(first);
      stage.call(Stage.write(one, 0, Arrays.copyOf(OLD, 100)));
      WeftFile two = share(stage.client());
      ClientNode other = stage.client();
      var unused = share(other);
      other.kill();
      stage.world().pass(15_000);
      stage.call(one.setLength(size));
      close(one, two);
    }
    stage.assertHolds(PATH, cut(CUT_BYTES, 2 * Stage.STRIPE));
  }

  /** By path, too: such a client has the file open shared as long as it takes. */
  @Test
  void aBusyFileIsCutByItsPath() throws Exception {
    Sharing open = sharing();
    CompletableFuture<?> cut = stage.client().files().truncate(WeftPath.of(PATH), SMALL_BYTES);
    while (!cut.isDone()) {
      stage.call(Stage.write(open.one(), 0, Arrays.copyOf(OLD, 100)));
      stage.call(Stage.write(open.two(), 100, Arrays.copyOfRange(OLD, 100, 200)));
    }
    var done = stage.call(cut);
    close(open.one(), open.two());
    stage.assertHolds(PATH, cut(SMALL_BYTES, SMALL_BYTES));
  }
}
