package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.TruncateRequest;

/** TRUNCATE and PUNCH over the real transport and the real store (P 4.3). */
class ReleaseCommandsTest {
  private static final int BLOCK = Blocks.BLOCK_BYTES;
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] DATA = Blocks.random(1, 10 * BLOCK);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private SignedCapability client;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    client = rig.caps().client(OBJECT, GRANT);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, DATA).setCreate(TAG), DATA);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static TruncateRequest.Builder truncation(long length, long seq) {
    return TruncateRequest.newBuilder()
        .setObjectId(OBJECT)
        .setLength(length)
        .setEof(length)
        .setTruncationNumber(1)
        .setGrant(GRANT)
        .setSeq(seq)
        .setCompleteUpTo(seq - 1);
  }

  private static PunchRequest.Builder punch(long offset, long length, long seq) {
    return PunchRequest.newBuilder()
        .setObjectId(OBJECT)
        .setOffset(offset)
        .setLength(length)
        .setGrant(GRANT)
        .setSeq(seq)
        .setCompleteUpTo(seq - 1);
  }

  @Test
  void aTruncationCutsAndTellsItsCheckpoint() throws Exception {
    var reply = osd.truncate(client, truncation(3L * BLOCK, 2));
    assertTrue(reply.getPendingCheckpoint() > reply.getDurableCheckpoint());
    var content = osd.read(client, OBJECT, 0, 10 * BLOCK);
    byte[] expected = Arrays.copyOf(Arrays.copyOf(DATA, 3 * BLOCK), 10 * BLOCK);
    assertArrayEquals(expected, content.bytes());
    assertEquals(3 * BLOCK, content.reply().getEof());
    assertEquals(1, content.reply().getTruncationNumber());
    var attributes = osd.attributes(client, OBJECT);
    assertEquals(3 * BLOCK, attributes.getEof());
    assertEquals(1, attributes.getTruncationNumber());
    assertEquals(3 * BLOCK, attributes.getComponentBytes());
    assertEquals(3 * BLOCK, attributes.getUsedBytes());
  }

  @Test
  void aDurableTruncationIsThereAfterARestart() throws Exception {
    osd.truncate(client, truncation(0, 2).setDurable(true));
    rig.stopOsd();
    rig.startOsd();
    assertArrayEquals(
        new byte[DATA.length], rig.caller().read(client, OBJECT, 0, DATA.length).bytes());
  }

  @Test
  void aPunchChangesNoByte() throws Exception {
    byte[] zeros = new byte[2 * BLOCK];
    osd.write(client, writeOf(OBJECT, GRANT, 2, BLOCK, zeros).setCompleteUpTo(1), zeros);
    byte[] before = osd.read(client, OBJECT, 0, DATA.length).bytes();
    osd.punch(client, punch(0, 10L * BLOCK, 3));
    var content = osd.read(client, OBJECT, 0, DATA.length);
    assertArrayEquals(before, content.bytes());
    assertEquals(2, content.reply().getRunsCount());
    assertEquals(8 * BLOCK, osd.attributes(client, OBJECT).getUsedBytes());
  }

  @Test
  void aLateWriteAfterATruncationIsFencedUnlessComplete() throws Exception {
    osd.truncate(client, truncation(0, 3));
    byte[] late = Blocks.random(2, BLOCK);
    osd.write(client, writeOf(OBJECT, GRANT, 2, 0, late), late);
    refused(
        ErrorCode.FENCED,
        () -> osd.write(client, writeOf(OBJECT, GRANT, 4, 0, late).setCompleteUpTo(3), late));
    assertArrayEquals(new byte[BLOCK], osd.read(client, OBJECT, 0, BLOCK).bytes());
    assertEquals(0, osd.attributes(client, OBJECT).getEof());
  }

  @Test
  void aReleaseWithPartialBlocksOrNoIdIsRefused() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.truncate(client, truncation(1, 2)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.truncate(client, truncation(BLOCK, 0)));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> osd.truncate(client, truncation(BLOCK, 2).setGrant(GRANT + 1)));
    refused(
        ErrorCode.INVALID_ARGUMENT, () -> osd.truncate(client, truncation(BLOCK, 2).setEof(-1)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.punch(client, punch(10, BLOCK, 2)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.punch(client, punch(0, 10, 2)));
    long half = CommandLimits.MAX_COMPONENT_BYTES / 2 + BLOCK;
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.punch(client, punch(half, half, 2)));
  }

  /** What a manager may journal is no length that an OSD refuses (P 4.3). */
  @Test
  void theLongestFileIsCutAndALongerOneRefused() throws Exception {
    long longest = CommandLimits.MAX_COMPONENT_BYTES;
    for (long length : new long[] {1L << 50, (1L << 50) + BLOCK, 1L << 56, longest}) {
      long eof = Math.min(length, CommandLimits.MAX_FILE_BYTES);
      osd.truncate(client, truncation(length, length / BLOCK).setEof(eof));
      assertEquals(eof, osd.attributes(client, OBJECT).getEof());
    }
    osd.punch(client, punch(longest - BLOCK, BLOCK, longest / BLOCK + 1));
    assertArrayEquals(DATA, osd.read(client, OBJECT, 0, DATA.length).bytes());
    long seq = longest / BLOCK + 2;
    String text =
        refused(
            ErrorCode.INVALID_ARGUMENT,
            () -> osd.truncate(client, truncation(longest + BLOCK, seq)));
    assertTrue(
        text.contains(Long.toString(longest)) && text.contains(Long.toString(longest + BLOCK)),
        text);
    long tooLong = CommandLimits.MAX_FILE_BYTES + 1;
    String eof =
        refused(
            ErrorCode.INVALID_ARGUMENT,
            () -> osd.truncate(client, truncation(BLOCK, seq).setEof(tooLong)));
    assertTrue(
        eof.contains(Long.toString(CommandLimits.MAX_FILE_BYTES))
            && eof.contains(Long.toString(tooLong)),
        eof);
  }

  @Test
  void aRevokedGrantCutsNothing() throws Exception {
    osd.raiseVersion(rig.caps().manager(3), OBJECT, GRANT + 1);
    refused(ErrorCode.FENCED, () -> osd.truncate(client, truncation(0, 2)));
    refused(ErrorCode.FENCED, () -> osd.punch(client, punch(0, BLOCK, 2)));
    var other = rig.caps().client(OBJECT + 1, GRANT);
    refused(
        ErrorCode.NO_SUCH_OBJECT,
        () -> osd.truncate(other, truncation(0, 2).setObjectId(OBJECT + 1)));
    refused(ErrorCode.CAPABILITY_INVALID, () -> osd.truncate(other, truncation(0, 2)));
  }
}
