package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.it.simulation.world.ClientNode;
import org.weft.protocol.rpc.RpcException;

/** Who reads a file that is being written sees all that was flushed before (P 4.3, 6.5). */
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
  void aLog() throws RpcException {
    writer = stage.client();
    reader = stage.client();
    CreateOptions options = CreateOptions.newFile().withLayout(Stage.WIDE);
    out = stage.call(writer.files().create(WeftPath.of(PATH), options));
    for (int each = 0; each < 5; each++) {
      flush();
      stage.world().pass(100);
    }
  }

  private void flush() throws RpcException {
    stage.call(out.write(ByteBuffer.wrap(content, flushed * RECORD, RECORD)));
    stage.call(out.hflush());
    flushed++;
  }

  private long sizeBytes() throws RpcException {
    return stage.call(reader.files().attributes(WeftPath.of(PATH))).sizeBytes();
  }

  private void assertShown() throws RpcException {
    assertEquals(flushed * RECORD, sizeBytes());
    try (WeftInput in = stage.call(reader.files().open(WeftPath.of(PATH)))) {
      assertEquals(flushed * RECORD, in.status().sizeBytes());
      byte[] expected = Arrays.copyOf(content, flushed * RECORD);
      assertArrayEquals(expected, stage.read(in, expected.length));
    }
  }

  @Test
  void eachFlushIsSeenWhetherSomebodyLooksOftenOrSeldom() throws RpcException {
    for (int each = 0; each < 20; each++) {
      flush();
      stage.world().pass(each % 5 == 0 ? 3_000 : 50);
      flush();
      assertShown();
    }
  }

  @Test
  void listingsShowWhatWasFlushedSoonAfter() throws RpcException {
    flush();
    stage.world().pass(1_500);
    var listed = stage.call(reader.files().list(WeftPath.of("/")).nextPage()).orElseThrow();
    assertEquals(flushed * RECORD, listed.get(0).sizeBytes());
  }

  @Test
  void aManagerThatTakesOverKnowsOfFlushesThatNobodyWasToldOf() throws RpcException {
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
  void aWriterThatDiesLeavesWhatItFlushed() throws RpcException {
    flush();
    writer.kill();
    stage.awaitClosed(reader, PATH);
    assertShown();
  }

  /** Who waits for its word is not told less, and does not wait for ever. */
  @Test
  void aWriterThatStandsStillLosesItsFileAndNothingThatItFlushed() throws RpcException {
    flush();
    writer.pause();
    assertEquals(flushed * RECORD, sizeBytes());
    assertTrue(stage.call(reader.files().isClosed(WeftPath.of(PATH))));
    assertShown();
  }
}
