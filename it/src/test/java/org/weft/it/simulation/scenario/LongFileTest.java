package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.FileLimits;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;

/** Files as long as they may be: what managers journal OSDs take (P 4.3). */
class LongFileTest {
  private static final String PATH = "/file";
  private static final long MAX_BYTES = FileLimits.MAX_FILE_BYTES;
  private static final LayoutSpec THIRDS = LayoutSpec.of(3, 2, 3 * Stage.UNIT);
  private static final byte[] CONTENT = Stage.bytes(1, 2 * Stage.STRIPE);

  private final Stage stage = Stage.boot();

  private byte[] read(ClientNode client, long position, int length) throws Exception {
    try (WeftInput in = stage.call(client.files().open(WeftPath.of(PATH)))) {
      ByteBuffer target = ByteBuffer.allocate(length);
      int count = stage.call(in.read(position, target));
      return Arrays.copyOf(target.array(), Math.max(0, count));
    }
  }

  private FileStatus truncate(ClientNode client, long length) throws Exception {
    return stage.call(client.files().truncate(WeftPath.of(PATH), length));
  }

  /** Every length here lies beyond what one of the parts once took as its limit. */
  @ParameterizedTest
  @ValueSource(
      longs = {(1L << 52) + 4_097, 51_200L << 40, (1L << 58) + 1, MAX_BYTES - 1, MAX_BYTES})
  void aFileIsCutToAnyLengthAndWrittenAfterwards(long length) throws Exception {
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, CONTENT);
    assertEquals(MAX_BYTES, truncate(client, MAX_BYTES).sizeBytes());
    assertEquals(length, truncate(client, length).sizeBytes());
    assertArrayEquals(CONTENT, read(client, 0, CONTENT.length));
    byte[] end = Stage.bytes(2, 10_000);
    long position = length - end.length;
    WeftFile file = stage.open(client, PATH);
    stage.call(file.write(position, ByteBuffer.wrap(end)));
    stage.call(file.close());
    stage.heal();
    assertArrayEquals(end, read(stage.client(), position, end.length + 1));
    truncate(client, CONTENT.length);
    stage.assertHolds(PATH, CONTENT);
  }

  @Test
  void aCutInsideTheLastStripeOfTheLongestFileIsMade() throws Exception {
    ClientNode client = stage.client();
    stage.put(client, PATH, THIRDS, CONTENT);
    truncate(client, MAX_BYTES);
    WeftFile file = stage.open(client, PATH);
    byte[] end = Stage.bytes(2, 10_000);
    stage.call(file.write(MAX_BYTES - end.length, ByteBuffer.wrap(end)));
    stage.call(file.close());
    truncate(client, MAX_BYTES - 5_000);
    truncate(client, MAX_BYTES);
    byte[] expected = Arrays.copyOf(Arrays.copyOf(end, 5_000), 10_000);
    assertArrayEquals(expected, read(client, MAX_BYTES - end.length, end.length));
  }

  /** Its writer and its manager die between the journal's word and the cut. */
  @Test
  void nextWriterFinishesATruncationBeyondTheOldLimit() throws Exception {
    ClientNode writer = stage.client();
    stage.put(writer, PATH, Stage.WIDE, CONTENT);
    truncate(writer, MAX_BYTES);
    WeftFile file = stage.open(writer, PATH);
    stage.world().osds().forEach(osd -> stage.world().network().cut(writer.name(), osd.name()));
    var cut = file.setLength(51_200L << 40);
    stage.world().pass(1_000);
    writer.kill();
    SimulatedManager manager = stage.world().managers().get(0);
    manager.kill();
    stage.world().network().heal();
    manager.start();
    assertEquals(false, cut.isDone(), "no OSD has heard of it");
    ClientNode other = stage.client();
    stage.awaitClosed(other, PATH);
    WeftFile next = stage.open(other, PATH);
    assertEquals(51_200L << 40, next.sizeBytes());
    stage.call(Stage.write(next, 100, new byte[] {1, 2, 3}));
    stage.call(next.setLength(CONTENT.length));
    stage.call(next.close());
    stage.assertHolds(PATH, Stage.changed(CONTENT, 100, new byte[] {1, 2, 3}));
  }
}
