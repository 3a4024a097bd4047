package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.blocksOf;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdCaller.Content;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListPartitionsReply;
import org.weft.protocol.wire.ListPartitionsRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.Stamp;

/** Every command that has a behaviour, over the real transport and the real store. */
class CommandsTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final int UNIT_BYTES = TAG.getUnitBytes();

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private SignedCapability client;
  private SignedCapability manager;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    client = rig.caps().client(OBJECT, GRANT);
    manager = rig.caps().manager(3);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void readsBackARunOfStripes() throws Exception {
    byte[] run = Blocks.random(1, 5 * UNIT_BYTES - 1_000);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, run).setSeqCount(5).setCreate(TAG), run);
    Content content = osd.read(client, OBJECT, 0, run.length);
    assertArrayEquals(run, content.bytes());
    assertEquals(run.length, content.reply().getEof());
    assertEquals(TAG.getMapGeneration(), content.reply().getMapGeneration());
    byte[] middle = osd.read(client, OBJECT, 5_000, 70_001).bytes();
    assertArrayEquals(Arrays.copyOfRange(run, 5_000, 75_001), middle);
  }

  @Test
  void leavesHolesOutOfAReadAndReadsThemAsZeros() throws Exception {
    byte[] bytes = Blocks.random(2, 4_096);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 4_096, bytes).setCreate(TAG), bytes);
    osd.write(client, writeOf(OBJECT, GRANT, 2, 10L * UNIT_BYTES, bytes), bytes);
    Content content = osd.read(client, OBJECT, 0, 11 * UNIT_BYTES);
    assertEquals(2, content.reply().getRunsCount());
    assertEquals(1, content.reply().getRuns(0).getFirstBlock());
    byte[] expected = new byte[11 * UNIT_BYTES];
    System.arraycopy(bytes, 0, expected, 4_096, 4_096);
    System.arraycopy(bytes, 0, expected, 10 * UNIT_BYTES, 4_096);
    assertArrayEquals(expected, content.bytes());
  }

  @Test
  void aPartialBlockIsMergedWithStoredBytes() throws Exception {
    byte[] first = Blocks.random(3, 10_000);
    byte[] second = Blocks.random(4, 3_333);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 100, first).setCreate(TAG), first);
    osd.write(client, writeOf(OBJECT, GRANT, 2, 5_001, second).setCompleteUpTo(1), second);
    byte[] expected = new byte[10_100];
    System.arraycopy(first, 0, expected, 100, first.length);
    System.arraycopy(second, 0, expected, 5_001, second.length);
    assertArrayEquals(expected, osd.read(client, OBJECT, 0, expected.length).bytes());
  }

  @Test
  void blocksThatBuildOnAnotherIncarnationAreRefused() throws Exception {
    byte[] block = Blocks.random(6, 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT, 50, List.of(0L), block).setIncarnation(1), block);
    rig.stopOsd();
    rig.startOsd();
    osd = rig.caller();
    assertEquals(2, osd.status().getIncarnation());
    byte[] newer = Blocks.random(7, 4_096);
    for (long wrong : new long[] {1, 3, -1}) {
      var request = blocksOf(OBJECT, 51, List.of(0L), newer).setIncarnation(wrong);
      refused(ErrorCode.UNAVAILABLE, () -> osd.writeBlocks(manager, request, newer));
    }
    assertArrayEquals(block, osd.read(manager, OBJECT, 0, 4_096).bytes());
    osd.writeBlocks(manager, blocksOf(OBJECT, 51, List.of(0L), newer).setIncarnation(2), newer);
    assertArrayEquals(newer, osd.read(manager, OBJECT, 0, 4_096).bytes());
    osd.writeBlocks(manager, blocksOf(OBJECT, 52, List.of(0L), block), block);
    assertArrayEquals(block, osd.read(manager, OBJECT, 0, 4_096).bytes());
  }

  @Test
  void aReadBeyondTheEndReturnsTheStoredBytes() throws Exception {
    byte[] bytes = Blocks.random(5, 100);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG), bytes);
    Content content = osd.read(client, OBJECT, 1 << 20, 1 << 20);
    assertEquals(0, content.reply().getRunsCount());
    assertEquals(100, content.reply().getEof());
    assertEquals(100, osd.read(client, OBJECT, 0, 0).reply().getEof());
  }

  @Test
  void anEmptyWriteMakesTheComponentAndSetsTheLength() throws Exception {
    byte[] nothing = {};
    osd.write(
        client, writeOf(OBJECT, GRANT, 1, 0, nothing).setCreate(TAG).setEof(200_000), nothing);
    Content content = osd.read(client, OBJECT, 0, 4_096);
    assertEquals(200_000, content.reply().getEof());
    assertEquals(0, content.reply().getRunsCount());
    assertEquals(TAG, osd.attributes(client, OBJECT).getTag());
  }

  @Test
  void answersARetriedWriteWithoutDoingItAgain() throws Exception {
    byte[] first = Blocks.random(6, 4_096);
    byte[] second = Blocks.random(7, 4_096);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, first).setCreate(TAG), first);
    osd.write(client, writeOf(OBJECT, GRANT, 2, 0, second).setCompleteUpTo(1), second);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, first).setCreate(TAG), first);
    assertArrayEquals(second, osd.read(client, OBJECT, 0, 4_096).bytes());
  }

  @Test
  void writesNothingWhenAChecksumIsWrong() throws Exception {
    byte[] bytes = Blocks.random(8, 3 * 4_096);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG), bytes);
    byte[] other = Blocks.random(9, 3 * 4_096);
    var bad = writeOf(OBJECT, GRANT, 2, 0, other).setCompleteUpTo(1);
    bad.setBlockCrc(2, bad.getBlockCrc(2) ^ 1);
    refused(ErrorCode.BAD_CHECKSUM, () -> osd.write(client, bad, other));
    assertArrayEquals(bytes, osd.read(client, OBJECT, 0, bytes.length).bytes());
  }

  @Test
  void tellsTheWriteIdsOfARange() throws Exception {
    byte[] bytes = Blocks.random(10, UNIT_BYTES);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG), bytes);
    osd.write(client, writeOf(OBJECT, GRANT, 2, UNIT_BYTES, bytes).setCompleteUpTo(1), bytes);
    var range = GetStampRequest.newBuilder().setObjectId(OBJECT).setLength(2 * UNIT_BYTES);
    List<Stamp> expected = List.of(stamp(0, 1), stamp(16, 2));
    assertEquals(expected, osd.stamps(client, range).getStampsList());
    assertTrue(osd.stamps(client, range).getPending());
    var read =
        ReadRequest.newBuilder().setObjectId(OBJECT).setLength(UNIT_BYTES).setWithStamps(true);
    Content content = osd.read(client, read);
    assertEquals(expected.subList(0, 1), content.reply().getStampsList());
    assertFalse(content.reply().getPending(), "the first write is known to be complete");
  }

  @Test
  void readsARangeWithoutTheBlocksThatAreLeftOut() throws Exception {
    byte[] bytes = Blocks.random(12, 3 * UNIT_BYTES);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG), bytes);
    var read = ReadRequest.newBuilder().setObjectId(OBJECT).setOffset(4_096).setLength(11 * 4_096);
    Content content = osd.read(client, leavingOut(read, 0, 2, 4, 3, 11, 90));

    assertEquals(
        List.of(run(2, 2), run(7, 4)), content.reply().getRunsList(), "blocks 1 to 11 were asked");
    byte[] expected = Arrays.copyOfRange(bytes, 4_096, 12 * 4_096);
    for (int block : new int[] {1, 4, 5, 6, 11}) {
      Arrays.fill(expected, (block - 1) * 4_096, block * 4_096, (byte) 0);
    }
    assertArrayEquals(expected, content.bytes());

    Content nothing = osd.read(client, leavingOut(read, 0, 12));
    assertEquals(List.of(), nothing.reply().getRunsList());
    assertFalse(nothing.reply().getPending(), "the write is pending in blocks that were left out");
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.read(client, leavingOut(read, 4, 3, 6, 1)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.read(client, leavingOut(read, 4, 0)));
  }

  private static ReadRequest.Builder leavingOut(ReadRequest.Builder read, int... runs) {
    ReadRequest.Builder request = read.clone().clearLeftOut();
    for (int i = 0; i < runs.length; i += 2) {
      request.addLeftOut(run(runs[i], runs[i + 1]));
    }
    return request;
  }

  private static BlockRun run(long firstBlock, int blockCount) {
    return BlockRun.newBuilder().setFirstBlock(firstBlock).setBlockCount(blockCount).build();
  }

  private static Stamp stamp(long firstBlock, long seq) {
    return Stamp.newBuilder()
        .setFirstBlock(firstBlock)
        .setBlockCount(16)
        .setGrant(GRANT)
        .setSeq(seq)
        .build();
  }

  @Test
  void aFlushIsCoveredByACheckpoint() throws Exception {
    byte[] bytes = Blocks.random(11, 4_096);
    var first = writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG).setDurable(true);
    osd.write(client, first, bytes);
    var lazy = osd.write(client, writeOf(OBJECT, GRANT, 2, UNIT_BYTES, bytes), bytes);
    assertTrue(lazy.getDurableCheckpoint() < lazy.getPendingCheckpoint());
    long flushed = osd.flush(client, OBJECT).getDurableCheckpoint();
    assertTrue(flushed >= lazy.getPendingCheckpoint());
    assertEquals(flushed, osd.status().getDurableCheckpoint());
    assertTrue(osd.flush(manager, 0).getDurableCheckpoint() >= flushed);
  }

  @Test
  void storesAttributePagesByTheirLsn() throws Exception {
    var create = SetAttributesRequest.newBuilder().setObjectId(OBJECT).setCreate(TAG);
    assertEquals(
        0, osd.setAttributes(manager, create.clone().addPages(page(0, 20, "new"))).getSkipped());
    var both = create.clone().addPages(page(0, 19, "old")).addPages(page(3, 1, "three"));
    assertEquals(1, osd.setAttributes(manager, both).getSkipped());
    var reply = osd.attributes(client, OBJECT);
    assertEquals(List.of(page(0, 20, "new"), page(3, 1, "three")), reply.getPagesList());
    assertEquals(TAG, reply.getTag());
    assertEquals(List.of(page(3, 1, "three")), osd.attributes(client, OBJECT, 3, 9).getPagesList());
  }

  private static AttributePage page(int number, long lsn, String value) {
    return AttributePage.newBuilder()
        .setPage(number)
        .setLsn(lsn)
        .setValue(ByteString.copyFromUtf8(value))
        .build();
  }

  @Test
  void storesBlocksByTheirLsn() throws Exception {
    byte[] two = Blocks.random(12, 2 * 4_096);
    byte[] older = Blocks.random(13, 2 * 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT, 50, List.of(0L, 7L), two), two);
    var reply = osd.writeBlocks(manager, blocksOf(OBJECT, 49, List.of(7L, 8L), older), older);
    assertEquals(1, reply.getSkipped());
    byte[] expected = new byte[9 * 4_096];
    System.arraycopy(two, 0, expected, 0, 4_096);
    System.arraycopy(two, 4_096, expected, 7 * 4_096, 4_096);
    System.arraycopy(older, 4_096, expected, 8 * 4_096, 4_096);
    assertArrayEquals(expected, osd.read(manager, OBJECT, 0, expected.length).bytes());
  }

  @Test
  void listsObjectsInPages() throws Exception {
    for (long object = 70_001; object <= 70_005; object++) {
      byte[] block = Blocks.random(object, 4_096);
      osd.writeBlocks(manager, blocksOf(object, 1, List.of(0L), block), block);
    }
    var first = osd.list(manager, 0, 3);
    assertEquals(List.of(70_001L, 70_002L, 70_003L), first.getObjectIdList());
    assertTrue(first.getMore());
    var rest = osd.list(manager, 70_003, 0);
    assertEquals(List.of(70_004L, 70_005L), rest.getObjectIdList());
    assertFalse(rest.getMore());
  }

  @Test
  void removesObjectsAndSaysWhetherTheyWereThere() throws Exception {
    byte[] block = Blocks.random(14, 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT, 1, List.of(0L), block), block);
    assertTrue(osd.remove(manager, OBJECT, 5).getExisted());
    assertFalse(osd.remove(manager, OBJECT, 5).getExisted());
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.read(manager, OBJECT, 0, 1));
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.attributes(manager, OBJECT));
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.flush(client, OBJECT));
  }

  /** It may not have been told of the newer one when that took over (P 6.2). */
  @Test
  void aNewerManagersFirstChangeShutsTheOneBeforeOut() throws Exception {
    byte[] block = Blocks.random(16, 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT, 1, List.of(0L), block), block);
    osd.raiseVersion(rig.caps().manager(4), OBJECT, GRANT + 1);
    refused(ErrorCode.FENCED, () -> osd.raiseVersion(rig.caps().manager(3), OBJECT, GRANT + 2));
    assertFalse(osd.remove(rig.caps().manager(5), OBJECT + 1, 5).getExisted());
    refused(ErrorCode.FENCED, () -> osd.remove(rig.caps().manager(4), OBJECT + 1, 5));
    assertTrue(osd.remove(rig.caps().manager(5), OBJECT, GRANT + 9).getExisted());
  }

  @Test
  void neverLowersAVersionOrAFence() throws Exception {
    byte[] block = Blocks.random(15, 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT, 1, List.of(0L), block), block);
    assertEquals(GRANT + 9, osd.raiseVersion(manager, OBJECT, GRANT + 9).getVersion());
    assertEquals(GRANT + 9, osd.raiseVersion(manager, OBJECT, GRANT + 8).getVersion());
    assertEquals(GRANT + 9, osd.attributes(manager, OBJECT).getObjectVersion());
    assertEquals(3, osd.fence(manager, 3).getEpoch());
    refused(ErrorCode.FENCED, () -> osd.fence(rig.caps().manager(3), 2));
  }

  @Test
  void tellsItsStateToAnyone() throws Exception {
    byte[] bytes = Blocks.random(16, UNIT_BYTES);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, bytes).setCreate(TAG), bytes);
    var status = osd.status();
    assertEquals(OsdRig.CAPACITY_BYTES, status.getCapacityBytes());
    assertEquals(1, status.getObjects());
    assertTrue(status.getUsedBytes() >= UNIT_BYTES);
    assertEquals(status.getCapacityBytes(), status.getUsedBytes() + status.getFreeBytes());
    assertTrue(status.getReserveBytes() > 0);
    assertEquals("write-back", status.getDurability());
    assertEquals(1, status.getIncarnation());
  }

  @Test
  void listsPartitionsToDaemonsOnly() throws Exception {
    byte[] secret = JoinSecret.of(rig.cluster().joinToken());
    var request = ListPartitionsRequest.getDefaultInstance();
    var reply =
        osd.call(
            Opcode.LIST_PARTITIONS, request, new byte[0], secret, ListPartitionsReply.parser());
    assertEquals(1, reply.getPartitionsCount());
    assertEquals(Caps.PARTITION, reply.getPartitions(0).getPartitionId());
    assertEquals(List.of(1), reply.getPartitions(0).getKeyVersionList());
    refused(
        ErrorCode.UNAUTHENTICATED,
        () ->
            osd.call(
                Opcode.LIST_PARTITIONS,
                request,
                new byte[0],
                client.secret(),
                ListPartitionsReply.parser()));
  }

  @Test
  void refusesClientsWritesThatWouldDipIntoTheReserve() throws Exception {
    byte[] big = Blocks.random(17, 4 << 20);
    long offset = 0;
    long seq = 1;
    while (osd.status().getFreeBytes() - big.length >= osd.status().getReserveBytes()) {
      osd.write(
          client, writeOf(OBJECT, GRANT, seq, offset, big).setSeqCount(64).setCreate(TAG), big);
      offset += big.length;
      seq += 64;
    }
    var full = writeOf(OBJECT, GRANT, seq, offset, big).setSeqCount(64);
    refused(ErrorCode.NO_SPACE, () -> osd.write(client, full, big));
    byte[] block = Blocks.random(18, 4_096);
    osd.writeBlocks(manager, blocksOf(OBJECT + 1, 1, List.of(0L), block), block);
  }
}
