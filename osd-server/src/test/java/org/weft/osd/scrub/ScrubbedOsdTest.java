package org.weft.osd.scrub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.OsdDaemon;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.BadBlock;
import org.weft.protocol.wire.ListBadBlocksReply;
import org.weft.protocol.wire.ListBadBlocksRequest;
import org.weft.protocol.wire.ReportBadBlocksReply;
import org.weft.protocol.wire.ReportBadBlocksRequest;
import org.weft.testkit.process.Await;

/** A daemon on a real disk, one of whose blocks rots. */
class ScrubbedOsdTest {
  private static final long PERIOD_MILLIS = 100;

  @TempDir Path directory;

  private static List<String> told(OsdRig rig) {
    return rig.cluster()
        .lastHeartbeat(rig.daemon().osdId().value())
        .map(beat -> List.copyOf(beat.getProblemsList()))
        .orElse(List.of());
  }

  private void rot() throws Exception {
    Path segment = directory.resolve("segments/segment-00000000");
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(5000);
      int old = file.read();
      file.seek(5000);
      file.write(old ^ 4);
    }
  }

  @Test
  void sysmgrHearsOfABadBlockAlsoFromTheNextStart() throws Exception {
    try (OsdRig rig = OsdRig.scrubbing(directory, PERIOD_MILLIS)) {
      long grant = Lsn.of(1, 1).value();
      byte[] bytes = Blocks.random(1, 3 * Blocks.BLOCK_BYTES);
      var write = writeOf(70_000, grant, 1, 0, bytes).setCreate(TAG);
      rig.caller().write(rig.caps().client(70_000, grant), write, bytes);
      Await.that(() -> rig.daemon().scrubbed().fullPassMillis().isPresent());
      assertEquals(List.of(), rig.daemon().problems());
      rot();
      Await.that(() -> !told(rig).isEmpty());
      assertTrue(told(rig).get(0).contains("1 bad block (block 1 of object 1/70000)"));
      assertEquals(1, rig.daemon().scrubbed().errors());
      rig.stopOsd();
      rig.startOsd();
      Await.that(() -> !told(rig).isEmpty());
    }
  }

  @Test
  void aDisabledScrubberReadsNothing() throws Exception {
    try (OsdRig rig = OsdRig.scrubbing(directory, 0)) {
      OsdDaemon daemon = rig.daemon();
      Await.that(() -> rig.cluster().lastHeartbeat(daemon.osdId().value()).isPresent());
      assertEquals(ScrubFigures.NONE, daemon.scrubbed());
      assertTrue(daemon.store().medium().notes().isEmpty());
    }
  }

  private static ListBadBlocksReply bad(OsdRig rig, SignedCapability manager) throws WeftException {
    return rig.caller()
        .call(
            Opcode.LIST_BAD_BLOCKS,
            ListBadBlocksRequest.newBuilder().setCapability(manager.encoded()).build(),
            new byte[0],
            manager.secret(),
            ListBadBlocksReply.parser());
  }

  /** Negative while the OSD does not answer. */
  private static int badCount(OsdRig rig, SignedCapability manager) {
    try {
      return bad(rig, manager).getBlocksCount();
    } catch (WeftException e) {
      return -1;
    }
  }

  @Test
  void managersHearOfReportedBlocksUntilTheyAreRewritten() throws Exception {
    try (OsdRig rig = OsdRig.scrubbing(directory, 0)) {
      long grant = Lsn.of(1, 1).value();
      byte[] bytes = Blocks.random(1, 3 * Blocks.BLOCK_BYTES);
      SignedCapability client = rig.caps().client(70_000, grant);
      rig.caller().write(client, writeOf(70_000, grant, 1, 0, bytes).setCreate(TAG), bytes);
      rot();
      ReportBadBlocksRequest complaint =
          ReportBadBlocksRequest.newBuilder()
              .setCapability(client.encoded())
              .setObjectId(70_000)
              .setBlockCount(3)
              .build();
      var heard =
          rig.caller()
              .call(
                  Opcode.REPORT_BAD_BLOCKS,
                  complaint,
                  new byte[0],
                  client.secret(),
                  ReportBadBlocksReply.parser());
      assertEquals(ReportBadBlocksReply.getDefaultInstance(), heard);
      SignedCapability manager = rig.caps().manager(1);
      Await.that(() -> badCount(rig, manager) == 1);
      assertEquals(
          BadBlock.newBuilder().setObjectId(70_000).setBlock(1).build(),
          bad(rig, manager).getBlocks(0));
      rig.stopOsd();
      rig.startOsd();
      Await.that(() -> badCount(rig, manager) == 1);
      byte[] anew = Blocks.random(2, Blocks.BLOCK_BYTES);
      rig.caller()
          .write(
              client, writeOf(70_000, grant, 2, Blocks.BLOCK_BYTES, anew).setCompleteUpTo(1), anew);
      Await.that(() -> badCount(rig, manager) == 0);
    }
  }
}
