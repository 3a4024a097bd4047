package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** A write grant whose holder is idle goes back when others want the file (P 6.5, 6.8). */
class IdleWriterScenarioTest {
  private static final String PATH = "/file";
  private static final WeftPath FILE = WeftPath.of(PATH);
  private static final byte[] OLD = Stage.bytes(1, 5 * Stage.STRIPE + 700);
  private static final byte[] NEWS = Stage.bytes(2, 900);
  private static final byte[] MORE = Stage.bytes(3, 700);
  private static final long AFTER_MILLIS = 8_000;

  private final Stage stage = Stage.boot(WorldOptions.of(1).withRepair(AFTER_MILLIS));
  private ClientNode holder;
  private ClientNode other;

  @BeforeEach
  void twoClientsAndAFile() throws WeftException {
    holder = stage.client();
    other = stage.client();
    stage.put(holder, PATH, Stage.WIDE, OLD);
  }

  /** Long enough for its client to listen. */
  private WeftFile heldFile() throws WeftException {
    WeftFile file = stage.open(holder, PATH);
    stage.world().pass(2_000);
    assertTrue(file.isGranted());
    return file;
  }

  private long nowMillis() {
    return stage.world().time().nowNanos() / 1_000_000;
  }

  private static byte[] changed(byte[] content, int at, byte[] news) {
    return Stage.changed(content, at, news);
  }

  @Test
  void idleHolderYieldsAtOnceAndContinuesLater() throws Exception {
    WeftFile file = heldFile();
    stage.call(Stage.write(file, 100, NEWS));
    stage.world().pass(1_000);
    long asked = nowMillis();
    WeftFile second = stage.call(other.files().openForUpdate(FILE));
    assertTrue(nowMillis() - asked < 2_000, "it took " + (nowMillis() - asked) + " ms");
    assertFalse(file.isGranted());
    assertEquals(OLD.length, file.sizeBytes());
    stage.call(Stage.write(second, OLD.length, MORE));
    CompletableFuture<Void> waiting = Stage.write(file, 2_000, NEWS);
    stage.world().pass(50);
    assertFalse(waiting.isDone(), "the other one is not idle yet");
    stage.call(waiting);
    assertTrue(file.isGranted());
    assertFalse(second.isGranted());
    assertEquals(OLD.length + MORE.length, file.sizeBytes());
    var closed = stage.call(second.close());
    var closedToo = stage.call(file.close());
    byte[] expected = changed(changed(OLD, 100, NEWS), 2_000, NEWS);
    byte[] longer = Arrays.copyOf(expected, OLD.length + MORE.length);
    System.arraycopy(MORE, 0, longer, OLD.length, MORE.length);
    stage.assertHolds(PATH, longer);
  }

  /** The grant is on its way back, which the next call waits for. */
  private CompletableFuture<WeftFile> openedByTheOther(WeftFile file) {
    CompletableFuture<WeftFile> opening = other.files().openForUpdate(FILE);
    for (int step = 0; file.isGranted() && step < 100_000; step++) {
      stage.world().time().pass(50_000);
    }
    assertFalse(file.isGranted());
    assertFalse(file.isLent());
    return opening;
  }

  @Test
  void writesDuringAReturnAreDurableAtTheNextReturn() throws Exception {
    WeftFile file = heldFile();
    stage.call(Stage.write(file, 100, NEWS));
    stage.world().pass(200);
    CompletableFuture<WeftFile> opening = openedByTheOther(file);
    CompletableFuture<Void> waiting = Stage.write(file, 2_000, MORE);
    assertThrows(IllegalStateException.class, file::close);
    var closed = stage.call(stage.call(opening).close());
    stage.call(waiting);
    stage.world().pass(150);
    WeftFile third = stage.call(other.files().openForUpdate(FILE));
    assertTrue(file.isLent());
    stage.call(file.hsync());
    StorageMap map = stage.map(other, PATH);
    for (int component = 0; component < map.components().size(); component++) {
      stage.osd(map, component).machine().losePower();
    }
    var closedToo = third.close();
    for (int component = 0; component < map.components().size(); component++) {
      stage.restart(stage.osd(map, component));
    }
    stage.heal();
    var status = stage.call(file.close());
    stage.assertHolds(PATH, changed(changed(OLD, 100, NEWS), 2_000, MORE));
  }

  @Test
  void abortedFileThatWaitsForItsGrantWritesNothing() throws Exception {
    WeftFile file = heldFile();
    WeftFile second = stage.call(other.files().openForUpdate(FILE));
    CompletableFuture<Void> waiting = Stage.write(file, 2_000, NEWS);
    assertFalse(waiting.isDone());
    CompletableFuture<Void> aborted = file.abort();
    assertEquals(ErrorCode.CANCELLED, stage.failureOf(waiting).code());
    stage.call(aborted);
    var closed = stage.call(second.close());
    stage.awaitClosed(other, PATH);
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void abortedStreamThatWaitsForItsGrantWritesNothing() throws Exception {
    WeftOutput stream = stage.call(holder.files().append(FILE));
    stage.world().pass(3_000);
    WeftFile second = stage.call(other.files().openForUpdate(FILE));
    assertFalse(stream.isGranted());
    CompletableFuture<Void> waiting = stream.write(ByteBuffer.wrap(NEWS));
    CompletableFuture<Void> aborted = stream.abort();
    assertEquals(ErrorCode.CANCELLED, stage.failureOf(waiting).code());
    stage.call(aborted);
    var closed = stage.call(second.close());
    stage.awaitClosed(other, PATH);
    stage.assertHolds(PATH, OLD);
  }

  @Test
  void aStreamThatIsRefusedItsGrantMayAskOnceMore() throws Exception {
    WeftOutput stream = stage.call(holder.files().append(FILE));
    stage.world().pass(3_000);
    WeftOutput second = stage.call(other.files().append(FILE));
    stage.call(second.write(ByteBuffer.wrap(MORE)));
    CompletableFuture<Void> refused = stream.write(ByteBuffer.wrap(NEWS));
    assertEquals(ErrorCode.BEING_WRITTEN, stage.failureOf(refused).code());
    stage.call(second.abort());
    stage.awaitClosed(other, PATH);
    assertEquals(OLD.length, stage.call(other.files().attributes(FILE)).sizeBytes());
    stage.call(stream.write(ByteBuffer.wrap(NEWS)));
    assertEquals(OLD.length + NEWS.length, stage.call(stream.close()).sizeBytes());
  }

  @Test
  void gatheredBytesAreWrittenBeforeAnotherClientMayWrite() throws Exception {
    WeftFile file =
        stage.call(
            holder
                .files()
                .openForUpdate(FILE, UpdateOptions.alone().withGathering(1 << 20, 60_000)));
    stage.world().pass(1_000);
    stage.call(Stage.write(file, 100, NEWS));
    stage.world().pass(1_000);
    WeftFile second = stage.call(other.files().openForUpdate(FILE));
    ByteBuffer found = ByteBuffer.allocate(NEWS.length);
    assertEquals(NEWS.length, stage.call(second.read(100, found)));
    assertArrayEquals(NEWS, found.array());
    holder.kill();
    var closed = stage.call(second.close());
    stage.assertHolds(PATH, changed(OLD, 100, NEWS));
  }

  @Test
  void returningAnUnusedGrantChangesNothing() throws Exception {
    FileStatus before = stage.call(other.files().attributes(FILE));
    WeftFile file = heldFile();
    WeftFile second = stage.call(other.files().openForUpdate(FILE));
    assertFalse(file.isGranted());
    var closed = stage.call(second.close());
    assertEquals(before.mtimeMillis(), stage.call(other.files().attributes(FILE)).mtimeMillis());
    FileStatus left = stage.call(file.close());
    assertEquals(before.mtimeMillis(), left.mtimeMillis());
    assertTrue(stage.call(other.files().isClosed(FILE)));
  }

  @Test
  void aStreamInProgressKeepsItsGrant() throws Exception {
    WeftOutput stream = stage.call(holder.files().append(FILE));
    stage.world().pass(1_000);
    CompletableFuture<WeftOutput> wanted = other.files().append(FILE, OptionalInt.of(8_000));
    byte[] expected = Arrays.copyOf(OLD, OLD.length + 10 * MORE.length);
    for (int record = 0; record < 10; record++) {
      stage.call(stream.write(ByteBuffer.wrap(MORE)));
      stage.call(stream.hflush());
      System.arraycopy(MORE, 0, expected, OLD.length + record * MORE.length, MORE.length);
      stage.world().pass(1_000);
      assertTrue(stream.isGranted());
    }
    assertEquals(ErrorCode.BEING_WRITTEN, stage.failureOf(wanted).code());
    stage.world().pass(3_000);
    assertGivesWay(stream);
    var closed = stage.call(stream.close());
    stage.assertHolds(PATH, expected);
  }

  @Test
  void idleStreamYieldsAndFailsIfTheFileChanged() throws Exception {
    WeftOutput stream = stage.call(holder.files().append(FILE));
    stage.call(stream.write(ByteBuffer.wrap(MORE)));
    stage.call(stream.hflush());
    stage.world().pass(3_000);
    WeftOutput second = stage.call(other.files().append(FILE));
    assertFalse(stream.isGranted());
    assertEquals(OLD.length + MORE.length, second.positionBytes());
    stage.call(second.write(ByteBuffer.wrap(NEWS)));
    var closed = stage.call(second.close());
    stage.call(stream.hflush());
    WeftException told = stage.failureOf(stream.write(ByteBuffer.wrap(MORE)));
    assertEquals(ErrorCode.GRANT_REVOKED, told.code());
    assertTrue(told.getMessage().contains("changed by another client"), told.getMessage());
    byte[] expected = Arrays.copyOf(OLD, OLD.length + MORE.length + NEWS.length);
    System.arraycopy(MORE, 0, expected, OLD.length, MORE.length);
    System.arraycopy(NEWS, 0, expected, OLD.length + MORE.length, NEWS.length);
    stage.awaitClosed(other, PATH);
    stage.assertHolds(PATH, expected);
  }

  @Test
  void aStreamThatHoldsBytesBackKeepsItsGrant() throws Exception {
    WeftOutput stream = stage.call(holder.files().append(FILE));
    stage.call(stream.write(ByteBuffer.wrap(MORE)));
    stage.world().pass(3_000);
    WeftException refused = stage.failureOf(other.files().append(FILE, OptionalInt.of(5_000)));
    assertEquals(ErrorCode.BEING_WRITTEN, refused.code());
    assertTrue(stream.isGranted());
    stage.call(stream.hflush());
    stage.world().pass(3_000);
    assertGivesWay(stream);
    var closed = stage.call(stream.close());
  }

  /** It was asked all the time. */
  private void assertGivesWay(WeftOutput stream) throws WeftException {
    WeftOutput second = stage.call(other.files().append(FILE));
    assertFalse(stream.isGranted());
    var closed = stage.call(second.close());
  }

  /** Made with a mode that lets no user write it, not even its maker. */
  @Test
  void holderContinuesWhateverTheMode() throws Exception {
    WeftPath made = WeftPath.of("/made");
    WeftOutput stream =
        stage.call(holder.files().create(made, CreateOptions.newFile().withMode(0444)));
    stage.world().pass(3_000);
    WeftFile second = stage.call(other.files().openForUpdate(made));
    var closed = stage.call(second.close());
    assertFalse(stream.isGranted());
    stage.call(stream.write(ByteBuffer.wrap(MORE)));
    assertEquals(MORE.length, stage.call(stream.close()).sizeBytes());
  }

  @Test
  void idleHolderYieldsToARebuildAndContinuesLater() throws Exception {
    WeftFile file = heldFile();
    WeftPath log = WeftPath.of("/log");
    WeftOutput stream =
        stage.call(holder.files().create(log, CreateOptions.newFile().withLayout(Stage.WIDE)));
    stage.call(stream.write(ByteBuffer.wrap(OLD)));
    stage.call(stream.hflush());
    stage.call(stream.write(ByteBuffer.wrap(MORE)));
    StorageMap map = stage.map(other, PATH);
    SimulatedOsd lost = stage.dataOsd(map, 1);
    lost.kill();
    stage.world().await("the file is whole again", 120_000, () -> isElsewhere(PATH, lost));
    stage.world().await("the stream's file is, too", 120_000, () -> isElsewhere("/log", lost));
    stage.call(Stage.write(file, 100, NEWS));
    stage.call(stream.write(ByteBuffer.wrap(NEWS)));
    var closed = stage.call(stream.close());
    var closedToo = stage.call(file.close());
    stage.assertHolds(PATH, changed(OLD, 100, NEWS));
    byte[] expected = Arrays.copyOf(OLD, OLD.length + MORE.length + NEWS.length);
    System.arraycopy(MORE, 0, expected, OLD.length, MORE.length);
    System.arraycopy(NEWS, 0, expected, OLD.length + MORE.length, NEWS.length);
    stage.assertHolds("/log", expected);
  }

  private boolean isElsewhere(String path, SimulatedOsd lost) {
    try {
      StorageMap map = stage.map(other, path);
      return !map.components().contains(new OsdId(lost.osdId())) && map.missing().isEmpty();
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
  }
}
