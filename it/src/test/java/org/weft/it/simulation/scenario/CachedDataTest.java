package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** Clients that answer small reads from memory, beside those that write (P 6.5e). */
class CachedDataTest {
  private static final WeftPath FILE = WeftPath.of("/f");
  private static final int PIECE_BYTES = 3_000;
  private static final int CACHED_ENTRIES = 1_000;

  private final Stage stage = Stage.boot(WorldOptions.of(1).withCaches(CACHED_ENTRIES));
  private final byte[] content = Stage.bytes(1, 3 * Stage.STRIPE);
  private final ClientNode reader;
  private final ClientNode writer;

  CachedDataTest() throws WeftException {
    reader = stage.client();
    writer = stage.client();
    stage.put(writer, FILE.toString(), Stage.WIDE, content);
    // So that read leases have begun, and nothing was recalled lately.
    stage.world().pass(3_000);
  }

  private SimulatedManager manager() {
    return stage.world().managers().get(0);
  }

  private WeftInput open(ClientNode client) throws WeftException {
    return stage.call(client.files().open(FILE));
  }

  private byte[] piece(WeftInput in) throws WeftException {
    ByteBuffer target = ByteBuffer.allocate(PIECE_BYTES);
    int count = stage.call(in.read(0, target));
    return Arrays.copyOf(target.array(), Math.max(0, count));
  }

  /** Reads a piece until it is answered from memory. */
  private void keep(ClientNode client, WeftInput in, byte[] expected) throws WeftException {
    for (int times = 0; times < 3; times++) {
      long hits = client.dataCacheCounts().hits();
      assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in));
      if (client.dataCacheCounts().hits() > hits) {
        return;
      }
    }
    throw new AssertionError("three reads were not answered from memory: it is not granted");
  }

  /** What is answered while the client is cut off is right, and so is what comes later. */
  private void readAndHeal(WeftInput in, byte[] expected) throws WeftException {
    ByteBuffer target = ByteBuffer.allocate(PIECE_BYTES);
    CompletableFuture<Integer> asked = in.read(0, target);
    stage.world().pass(500);
    stage.world().network().heal();
    stage.call(asked);
    assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), target.array());
  }

  private byte[] overwrite(ClientNode client, byte[] before, int seed) throws WeftException {
    byte[] bytes = Stage.bytes(seed, 1_000);
    var file = stage.open(client, FILE.toString());
    stage.call(Stage.write(file, 500, bytes));
    stage.call(file.close());
    return Stage.changed(before, 500, bytes);
  }

  @Test
  void secondReadNeedsNoServers() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      manager().pause();
      stage.world().osds().forEach(SimulatedOsd::pause);
      long before = stage.world().time().nowNanos();
      assertArrayEquals(Arrays.copyOf(content, PIECE_BYTES), piece(in));
      assertEquals(before / 1_000_000, stage.world().time().nowNanos() / 1_000_000);
      stage.world().osds().forEach(SimulatedOsd::resume);
      manager().resume();
    }
  }

  @Test
  void aReaderSeesWhatAnotherHasOverwritten() throws WeftException {
    byte[] expected = content;
    try (WeftInput in = open(reader)) {
      for (int times = 0; times < 4; times++) {
        try (WeftInput fresh = open(reader)) {
          keep(reader, fresh, expected);
        }
        expected = overwrite(writer, expected, 10 + times);
        assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in), "turn " + times);
        // What was recalled is not granted for a second.
        stage.world().pass(1_500);
      }
    }
  }

  @Test
  void openInputReadsFromMemoryAgainAfterTheWriter() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      byte[] expected = overwrite(writer, content, 15);
      long hits = reader.dataCacheCounts().hits();
      int times = 0;
      while (reader.dataCacheCounts().hits() == hits) {
        assertTrue(times++ < 40, "it has the manager asked for the grant");
        assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in));
        stage.world().pass(100);
      }
      expected = overwrite(writer, expected, 16);
      assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in));
    }
  }

  @Test
  void aWriterSeesWhatItHasOverwrittenItself() throws WeftException {
    try (WeftInput in = open(writer)) {
      keep(writer, in, content);
      byte[] expected = overwrite(writer, content, 20);
      assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in));
      stage.world().pass(1_500);
      try (WeftInput fresh = open(writer)) {
        keep(writer, fresh, expected);
      }
      assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), piece(in));
    }
  }

  @Test
  void refreshShowsFlushedBytesAndATruncation() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      var file = stage.open(writer, FILE.toString());
      byte[] bytes = Stage.bytes(30, 100);
      stage.call(Stage.write(file, content.length, bytes));
      stage.call(Stage.write(file, 0, bytes));
      stage.call(file.hflush());
      assertEquals(content.length + 100, stage.call(in.refresh()));
      byte[] flushed = Stage.changed(content, 0, bytes);
      assertArrayEquals(Arrays.copyOf(flushed, PIECE_BYTES), piece(in));
      stage.call(file.setLength(1_000));
      stage.call(file.close());
      stage.world().pass(1_500);
      assertEquals(1_000, stage.call(in.refresh()));
      assertArrayEquals(Arrays.copyOf(flushed, 1_000), piece(in));
    }
  }

  @Test
  void aClientThatIsCutOffFromItsManagerAnswersNothingOld() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      stage.world().network().separate(reader.name(), manager().name());
      byte[] expected = overwrite(writer, content, 40);
      readAndHeal(in, expected);
    }
  }

  @Test
  void resumedClientAnswersNothingStale() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      reader.pause();
      byte[] expected = overwrite(writer, content, 50);
      ByteBuffer target = ByteBuffer.allocate(PIECE_BYTES);
      CompletableFuture<Integer> asked = in.read(0, target);
      reader.resume();
      stage.call(asked);
      assertArrayEquals(Arrays.copyOf(expected, PIECE_BYTES), target.array());
    }
  }

  @Test
  void aManagerThatStartsLetsNoClientWriteBehindACache() throws WeftException {
    try (WeftInput in = open(reader)) {
      keep(reader, in, content);
      stage.world().network().separate(reader.name(), manager().name());
      manager().kill();
      manager().start();
      stage.world().await("the volume is served", 60_000, manager()::isServing);
      byte[] expected = overwrite(writer, content, 70);
      readAndHeal(in, expected);
    }
  }
}
