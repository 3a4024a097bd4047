package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.blocksOf;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
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
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteBlocksRequest;
import org.weft.protocol.wire.WriteRequest;

/** Rule 8 of the design: bad input gets a clear error, and nothing is harmed. */
class LimitsTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] BYTES = Blocks.random(1, 2 * 4_096);

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
  void nothingWasStored() throws IOException {
    try {
      assertEquals(0, osd.status().getObjects());
      assertEquals(0, osd.status().getUsedBytes());
    } finally {
      rig.close();
    }
  }

  private String refusedWrite(Consumer<WriteRequest.Builder> change) {
    var request = writeOf(OBJECT, GRANT, 1, 0, BYTES).setCreate(TAG);
    change.accept(request);
    return refused(ErrorCode.INVALID_ARGUMENT, () -> osd.write(client, request, BYTES));
  }

  @Test
  void writesOutsideAnyComponentAreRefused() {
    String text = refusedWrite(w -> w.setOffset(-1));
    assertTrue(text.contains("18446744073709551615"), text);
    refusedWrite(w -> w.setOffset(Long.MAX_VALUE));
    refusedWrite(w -> w.setOffset(CommandLimits.MAX_COMPONENT_BYTES - 1));
    refusedWrite(w -> w.setEof(-1));
    refusedWrite(w -> w.setEof(CommandLimits.MAX_FILE_BYTES + 1));
    refusedWrite(w -> w.setTruncationNumber(-1));
    refusedWrite(w -> w.setObjectId(0));
  }

  @Test
  void writesWithImpossibleSequencesAreRefused() {
    refusedWrite(w -> w.setFirstSeq(0));
    refusedWrite(w -> w.setFirstSeq(-1));
    refusedWrite(w -> w.setFirstSeq(Long.MAX_VALUE));
    refusedWrite(w -> w.setSeqCount(0));
    refusedWrite(w -> w.setSeqCount(-1));
    refusedWrite(w -> w.setSeqCount(Integer.MAX_VALUE));
    refusedWrite(w -> w.setCompleteUpTo(-1));
    refusedWrite(w -> w.addParticipants(-1));
    refusedWrite(w -> Collections.nCopies(300, 1).forEach(w::addParticipants));
  }

  @Test
  void writesNeedOneChecksumForEachBlockTouched() {
    String text = refusedWrite(w -> w.addBlockCrc(1));
    assertTrue(text.contains("2 blocks") && text.contains("3 checksums"), text);
    refusedWrite(WriteRequest.Builder::clearBlockCrc);
    refusedWrite(w -> w.setOffset(1));
  }

  @Test
  void initialAttributesComeWithACreation() {
    refusedWrite(w -> w.clearCreate().getInitialAttributesBuilder().getPageBuilder().setLsn(1));
  }

  @Test
  void rangesThatNoReplyCanHoldAreRefused() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.read(client, OBJECT, -1, 1));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.read(client, OBJECT, 0, (8 << 20) + 1));
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.read(client, OBJECT, 1, 8 << 20));
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.read(client, OBJECT, 4_096, 8 << 20));
  }

  @Test
  void blocksNeedANumberAnLsnAndAChecksumEach() {
    List<Consumer<WriteBlocksRequest.Builder>> changes =
        List.of(
            b -> b.addNumber(5),
            b -> b.addLsn(5),
            b -> b.addBlockCrc(5),
            b -> b.setNumber(1, 0),
            b -> b.setNumber(1, -1),
            b -> b.setNumber(1, Long.MAX_VALUE),
            b -> b.clearNumber().clearLsn().clearBlockCrc(),
            b -> b.setEof(-1));
    for (var change : changes) {
      var request = blocksOf(OBJECT, 1, List.of(0L, 1L), BYTES);
      change.accept(request);
      refused(ErrorCode.INVALID_ARGUMENT, () -> osd.writeBlocks(manager, request, BYTES));
    }
    byte[] oneMore = Blocks.random(2, BYTES.length + 1);
    var request = blocksOf(OBJECT, 1, List.of(0L, 1L), BYTES);
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.writeBlocks(manager, request, oneMore));
  }

  @Test
  void blocksWithABadChecksumAreRefused() {
    var request = blocksOf(OBJECT, 1, List.of(0L, 1L), BYTES);
    request.setBlockCrc(1, request.getBlockCrc(1) ^ 1);
    refused(ErrorCode.BAD_CHECKSUM, () -> osd.writeBlocks(manager, request, BYTES));
  }

  @Test
  void attributePagesHaveLimits() {
    List<Consumer<SetAttributesRequest.Builder>> changes =
        List.of(
            s -> s.addPages(page(0, 10)).addPages(page(0, 10)),
            s -> s.addPages(page(0, (64 << 10) + 1)),
            s -> s.addPages(page(-1, 1)),
            s -> s.addPages(page((1 << 16) + 1, 1)),
            s -> IntStream.range(0, 65).forEach(i -> s.addPages(page(i, 1))),
            s -> s.addComplete(CompletionMarkMessage.newBuilder().setCompleteUpTo(-1)));
    for (var change : changes) {
      var request = SetAttributesRequest.newBuilder().setObjectId(OBJECT).setCreate(TAG);
      change.accept(request);
      refused(ErrorCode.INVALID_ARGUMENT, () -> osd.setAttributes(manager, request));
    }
  }

  private static AttributePage page(int number, int bytes) {
    return AttributePage.newBuilder()
        .setPage(number)
        .setLsn(1)
        .setValue(ByteString.copyFrom(new byte[bytes]))
        .build();
  }

  @Test
  void aTombstoneNeedsAnLsn() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.remove(manager, OBJECT, 0));
  }

  @Test
  void aListHasASensibleLimit() {
    refused(ErrorCode.INVALID_ARGUMENT, () -> osd.list(manager, 0, -1));
  }
}
