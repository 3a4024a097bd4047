package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.node.ClientNode;

/** A reader of a file that is being written sees all that was flushed before (P 4.3, 6.5). */
class TailReaderTest {
  private static final String PATH = "/log";
  private static final int RECORD = 100;
  private static final int RECORDS = 50;

  private final Stage stage = Stage.boot();
  private final byte[] content = Stage.bytes(1, RECORD * RECORDS);
  private ClientNode writer;
  private ClientNode reader;
  private WeftOutput out;
  private int flushed;

  /** The manager has heard of a few flushes, and leaves the next ones to the writer. */
  @BeforeEach
  void aLog() throws WeftException {
    writer = stage.client();
    reader = stage.client();
    CreateOptions options = CreateOptions.newFile().withLayout(Stage.WIDE);
    out = stage.call(writer.files().create(WeftPath.of(PATH), options));
    for (int each = 0; each < 5; each++) {
      flush();
      stage.world().pass(100);
    }
  }

  private void flush() throws WeftException {
    stage.call(out.write(ByteBuffer.wrap(content, flushed * RECORD, RECORD)));
    stage.call(out.hflush());
    flushed++;
  }

  private long sizeBytes() throws WeftException {
    return stage.call(reader.files().attributes(WeftPath.of(PATH))).sizeBytes();
  }

  private void assertShown() throws WeftException {
    assertEquals(flushed * RECORD, sizeBytes());
    try (WeftInput in = stage.call(reader.files().open(WeftPath.of(PATH)))) {
      assertEquals(flushed * RECORD, in.status().sizeBytes());
      byte[] expected = Arrays.copyOf(content, flushed * RECORD);
      assertArrayEquals(expected, stage.read(in, expected.length));
    }
  }

  @Test
  void eachFlushIsSeenByLooksThatAreFrequentOrRare() throws WeftException {
    for (int each = 0; each < 20; each++) {
      flush();
      stage.world().pass(each % 5 == 0 ? 3_000 : 50);
      flush();
      assertShown();
    }
  }

  @Test
  void listingsShowWhatWasFlushedSoonAfter() throws WeftException {
    flush();
    stage.world().pass(1_500);
    var listed = stage.call(reader.files().list(WeftPath.of("/")).nextPage()).orElseThrow();
    assertEquals(flushed * RECORD, listed.get(0).sizeBytes());
  }

  @Test
  void nextManagerKnowsFlushesThatReachedNoReader() throws WeftException {
    for (int each = 0; each < 3; each++) {
      flush();
      stage.world().managers().get(0).kill();
      flush();
      stage.world().managers().get(0).start();
      flush();
      assertShown();
      // Its writer hears with a renewal of its session that it is another.
      stage.world().pass(5_000);
    }
  }

  @Test
  void aWriterThatDiesLeavesWhatItFlushed() throws WeftException {
    flush();
    writer.kill();
    stage.awaitClosed(reader, PATH);
    assertShown();
  }

  private long nowMillis() {
    return stage.world().time().nowNanos() / 1_000_000;
  }

  /** Its connections have ended, and the manager need not wait for its lease. */
  @Test
  void aReaderThatWaitsForADeadWriterWaitsNoLease() throws WeftException {
    flush();
    writer.kill();
    long begunMillis = nowMillis();
    assertShown();
    assertTrue(nowMillis() - begunMillis < 3_000, "a lease is ten seconds");
    assertTrue(stage.call(reader.files().isClosed(WeftPath.of(PATH))));
  }

  @Test
  void aFileIsAppendedToSoonAfterItsWriterDied() throws WeftException {
    flush();
    writer.kill();
    long begunMillis = nowMillis();
    out = stage.call(reader.files().append(WeftPath.of(PATH)));
    assertTrue(nowMillis() - begunMillis < 4_000, "a lease is ten seconds");
    assertEquals(flushed * RECORD, out.positionBytes());
    flush();
    stage.call(out.close());
    assertShown();
  }

  @Test
  void recoverLeaseIsFastForDeadAndLivingWriters() throws WeftException {
    for (boolean dead : new boolean[] {false, true}) {
      flush();
      if (dead) {
        writer.kill();
      }
      long begunMillis = nowMillis();
      while (!stage.call(reader.files().recoverLease(WeftPath.of(PATH)))) {
        stage.world().pass(100);
      }
      assertTrue(nowMillis() - begunMillis < 2_000, "a lease is ten seconds");
      assertTrue(stage.call(reader.files().isClosed(WeftPath.of(PATH))));
      assertShown();
      if (!dead) {
        WeftOutput taken = out;
        assertEquals(ErrorCode.GRANT_REVOKED, stage.failureOf(taken.close()).code());
        out = stage.call(writer.files().append(WeftPath.of(PATH)));
      }
    }
  }

  /** Cut off, and all its connections are gone. */
  private void disconnect() {
    String manager = stage.world().managers().get(0).name();
    stage.world().network().separate(writer.name(), manager);
    stage.world().network().breakConnections(writer.name(), manager);
  }

  @Test
  void disconnectedWriterKeepsAFileWithoutWaiters() throws WeftException {
    flush();
    disconnect();
    stage.world().pass(1_900);
    stage.world().network().heal();
    flush();
    stage.world().pass(2_000);
    flush();
    assertShown();
    stage.call(out.close());
  }

  @Test
  void quicklyReconnectedWriterKeepsItsFileBesideWaiters() throws WeftException {
    for (int each = 0; each < 5; each++) {
      flush();
      String manager = stage.world().managers().get(0).name();
      stage.world().network().breakConnections(writer.name(), manager);
      assertShown();
      stage.world().pass(2_000);
    }
    flush();
    stage.call(out.close());
  }

  /** The manager takes the file from a client that lives: nothing that it was promised is lost. */
  @Test
  void cutOffWriterIsFencedBeforeItsLengthIsShown() throws WeftException {
    flush();
    disconnect();
    // Kept by the writer, as the manager is out of its sight.
    flush();
    long begunMillis = nowMillis();
    assertShown();
    assertTrue(nowMillis() - begunMillis < 3_000, "a lease is ten seconds");
    stage.call(out.write(ByteBuffer.wrap(content, flushed * RECORD, RECORD)));
    var late = out.hflush();
    stage.world().pass(5_000);
    stage.world().network().heal();
    assertEquals(ErrorCode.GRANT_REVOKED, stage.failureOf(late).code());
    assertShown();
  }

  /** No session has a connection then: that says nothing of their clients. */
  @Test
  void startingManagerTakesNoFileFromASlowWriter() throws WeftException {
    flush();
    stage.world().managers().get(0).kill();
    stage.world().network().separate(writer.name(), stage.world().managers().get(0).name());
    stage.world().managers().get(0).start();
    var size = reader.files().attributes(WeftPath.of(PATH));
    stage.world().pass(6_000);
    assertFalse(size.isDone());
    stage.world().network().heal();
    assertEquals(flushed * RECORD, stage.call(size).sizeBytes());
    flush();
    assertShown();
    stage.call(out.close());
  }

  /** A reader that waits for its word is not told less, and does not wait for ever. */
  @Test
  void frozenWriterLosesItsFileButNoFlushedByte() throws WeftException {
    flush();
    writer.pause();
    assertEquals(flushed * RECORD, sizeBytes());
    assertTrue(stage.call(reader.files().isClosed(WeftPath.of(PATH))));
    assertShown();
  }
}
