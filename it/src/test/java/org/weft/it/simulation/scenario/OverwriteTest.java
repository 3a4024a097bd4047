package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** A file that is being written is replaced at once, and what its writer sends later is lost. */
class OverwriteTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] LATE = Stage.bytes(2, 3 * Stage.STRIPE);
  private static final byte[] NEW = Stage.bytes(3, Stage.STRIPE + 1_000);
  private static final long AT_ONCE_MILLIS = 1_000;

  private final Stage stage = Stage.boot();
  private TreeSet<Long> before;
  private ClientNode writer;
  private ClientNode newcomer;
  private WeftOutput old;

  @BeforeEach
  void aFileThatIsBeingWritten() throws Exception {
    before = objects();
    writer = stage.client();
    newcomer = stage.client();
    old = stage.call(create(writer, CreateOptions.newFile()));
    stage.call(old.write(ByteBuffer.wrap(OLD)));
    stage.call(old.hflush());
  }

  private static CompletableFuture<WeftOutput> create(ClientNode client, CreateOptions options) {
    return client.files().create(WeftPath.of(PATH), options.withLayout(Stage.WIDE));
  }

  /** Fails if it has to wait for another client. */
  private WeftOutput replace() throws WeftException {
    long begunNanos = stage.world().time().nowNanos();
    WeftOutput out = stage.call(create(newcomer, CreateOptions.replacing()));
    long tookNanos = stage.world().time().nowNanos() - begunNanos;
    assertTrue(
        tookNanos < TimeUnit.MILLISECONDS.toNanos(AT_ONCE_MILLIS),
        "replacing the file took " + tookNanos + " ns");
    return out;
  }

  private void fill(WeftOutput out) throws WeftException {
    stage.call(out.write(ByteBuffer.wrap(NEW)));
    var closed = stage.call(out.close());
    assertEquals(NEW.length, closed.sizeBytes());
  }

  private TreeSet<Long> objects() throws Exception {
    TreeSet<Long> all = new TreeSet<>();
    for (SimulatedOsd osd : stage.world().osds()) {
      osd.store()
          .list(new PartitionId(1), Authority.ofManager(1_000), new ObjectId(0), 10_000)
          .objects()
          .forEach(object -> all.add(object.value()));
    }
    return all;
  }

  /** Only the new file's object is there besides what was there before. */
  private void assertNothingOfTheOldFileIsLeft() throws Exception {
    ClientNode stranger = stage.client();
    long replacement = stage.objectId(stranger, PATH);
    stranger.kill();
    TreeSet<Long> expected = new TreeSet<>(before);
    expected.add(replacement);
    assertEquals(expected, objects());
  }

  @Test
  void lateWritesOfALiveWriterLandNowhere() throws Exception {
    for (SimulatedOsd osd : stage.world().osds()) {
      stage.world().network().cut(writer.name(), osd.name());
    }
    stage.call(old.write(ByteBuffer.wrap(LATE)));
    CompletableFuture<Void> flush = old.hflush();
    stage.world().pass(100);
    fill(replace());
    stage.world().pass(20_000);
    stage.world().network().heal();
    WeftException refusal = stage.failureOf(flush);
    assertEquals(ErrorCode.GRANT_REVOKED, refusal.code(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("was replaced at"), refusal.getMessage());
    stage.world().pass(60_000);
    stage.assertHolds(PATH, NEW);
    assertNothingOfTheOldFileIsLeft();
  }

  @Test
  void writerOfAReplacedFileFailsAtCloseAtTheLatest() throws Exception {
    WeftOutput out = replace();
    WeftException refusal = stage.failureOf(old.close());
    assertEquals(ErrorCode.GRANT_REVOKED, refusal.code(), refusal.getMessage());
    fill(out);
    stage.world().pass(30_000);
    stage.assertHolds(PATH, NEW);
    assertNothingOfTheOldFileIsLeft();
  }

  @Test
  void aWriterThatDiedHoldsNoOtherUp() throws Exception {
    writer.kill();
    fill(replace());
    stage.world().pass(30_000);
    stage.assertHolds(PATH, NEW);
    assertNothingOfTheOldFileIsLeft();
  }

  @Test
  void readerOfAReplacedFileReadsItToTheEnd() throws Exception {
    ClientNode reader = stage.client();
    WeftInput in = stage.call(reader.files().open(WeftPath.of(PATH)));
    WeftOutput out = replace();
    fill(out);
    stage.world().pass(20_000);
    assertArrayEquals(OLD, stage.read(in, OLD.length));
    assertArrayEquals(NEW, stage.read(reader, PATH));
    in.close();
    WeftException refusal = stage.failureOf(old.close());
    assertEquals(ErrorCode.GRANT_REVOKED, refusal.code(), refusal.getMessage());
    stage.world().pass(30_000);
    assertNothingOfTheOldFileIsLeft();
  }

  @Test
  void aClientReplacesAFileThatItWritesItself() throws Exception {
    WeftOutput second = stage.call(create(writer, CreateOptions.replacing()));
    WeftException refusal = stage.failureOf(old.close());
    assertEquals(ErrorCode.GRANT_REVOKED, refusal.code(), refusal.getMessage());
    fill(second);
    stage.assertHolds(PATH, NEW);
  }

  /** The manager dies when it has the record and before any OSD has heard of the removal. */
  @Test
  void aManagerThatStartsAgainRemovesWhatWasReplaced() throws Exception {
    WeftOutput out = replace();
    stage.world().managers().get(0).kill();
    stage.world().pass(1_000);
    stage.world().managers().get(0).start();
    WeftException refusal = stage.failureOf(old.close());
    assertEquals(ErrorCode.GRANT_REVOKED, refusal.code(), refusal.getMessage());
    fill(out);
    stage.world().pass(30_000);
    stage.assertHolds(PATH, NEW);
    assertNothingOfTheOldFileIsLeft();
  }
}
