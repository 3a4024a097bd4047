package org.weft.metadata.objects.osd;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.weft.client.osd.BatchCall;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.metadata.objects.FlushStamp;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;

/** Between writes to copies and the items of a BATCH. */
final class CopyCalls {
  /**
   * The highest number of a write that an OSD takes. A resolve ends a grant with everything
   * complete, whatever its last number was.
   */
  private static final long MAX_SEQUENCE = 1L << 56;

  private CopyCalls() {}

  static BatchCall call(
      SignedCapability capability, CopyWrite write, long incarnation, FlushStamp stamp) {
    if (write instanceof WriteAttributes attributes) {
      return BatchCall.setAttributes(capability, request(attributes, stamp));
    } else if (write instanceof WriteBlocks blocks) {
      return BatchCall.writeBlocks(capability, request(blocks, incarnation, stamp), bytes(blocks));
    } else if (write instanceof RemoveCopy remove) {
      return BatchCall.remove(
          capability,
          RemoveRequest.newBuilder()
              .setObjectId(remove.object().value())
              .setLsn(remove.lsn().value())
              .setCreateFloor(stamp.createFloor().value())
              .setRound(stamp.round()));
    }
    throw new AssertionError("unhandled write: " + write);
  }

  private static SetAttributesRequest.Builder request(WriteAttributes write, FlushStamp stamp) {
    AttributePage page =
        AttributePage.newBuilder()
            .setPage(0)
            .setLsn(write.lsn().value())
            .setValue(write.page().bytes())
            .build();
    SetAttributesRequest.Builder request =
        SetAttributesRequest.newBuilder()
            .setObjectId(write.object().value())
            .addPages(page)
            .setCreate(write.attributes().map().tag(write.componentIndex()))
            .setFloor(write.floor().value())
            .setCreateFloor(stamp.createFloor().value())
            .setRound(stamp.round());
    write
        .completions()
        .tailMap(write.floor())
        .forEach(
            (grant, upTo) ->
                request.addComplete(
                    CompletionMarkMessage.newBuilder()
                        .setGrant(grant.value())
                        .setCompleteUpTo(Math.min(upTo, MAX_SEQUENCE))));
    return request;
  }

  static WriteBlocksRequest.Builder request(WriteBlocks write, long incarnation, FlushStamp stamp) {
    WriteBlocksRequest.Builder request =
        WriteBlocksRequest.newBuilder()
            .setObjectId(write.object().value())
            .setCreate(write.map().tag(write.componentIndex()))
            .setEof((long) write.endBlock() * DirectoryBlock.BYTES)
            .setIncarnation(incarnation)
            .setRound(stamp.round());
    write
        .blocks()
        .forEach(
            (number, block) -> {
              CRC32C crc = new CRC32C();
              crc.update(block);
              request
                  .addNumber(number)
                  .addLsn(DirectoryBlock.lsnOf(block).value())
                  .addBlockCrc((int) crc.getValue());
            });
    return request;
  }

  /** All blocks one behind the other. */
  private static ByteString bytes(WriteBlocks write) {
    ByteString.Output out = ByteString.newOutput(write.blocks().size() * DirectoryBlock.BYTES);
    write.blocks().values().forEach(block -> out.write(block, 0, block.length));
    return out.toByteString();
  }

  /** What the items were answered; an answer that cannot be read is a refusal. */
  static List<CopyOutcome> outcomes(OsdId osd, List<CopyWrite> writes, BatchReply reply) {
    List<CopyOutcome> outcomes = new ArrayList<>(writes.size());
    for (int index = 0; index < writes.size(); index++) {
      outcomes.add(
          index < reply.getItemsCount()
              ? outcome(osd, writes.get(index), reply.getItems(index))
              : refused(osd, ErrorCode.MALFORMED, "the reply misses items"));
    }
    return outcomes;
  }

  private static CopyOutcome outcome(OsdId osd, CopyWrite write, BatchItemReply item) {
    if (item.getError() != 0) {
      return refused(osd, ErrorCode.of(item.getError()), item.getMessage());
    }
    try {
      return CopyOutcome.taken(pendingCheckpoint(write, item.getBody()));
    } catch (InvalidProtocolBufferException e) {
      return refused(osd, ErrorCode.MALFORMED, "an item's reply could not be read: " + e);
    }
  }

  private static long pendingCheckpoint(CopyWrite write, ByteString body)
      throws InvalidProtocolBufferException {
    if (write instanceof WriteAttributes) {
      return SetAttributesReply.parseFrom(body).getPendingCheckpoint();
    }
    return write instanceof WriteBlocks
        ? WriteBlocksReply.parseFrom(body).getPendingCheckpoint()
        : RemoveReply.parseFrom(body).getPendingCheckpoint();
  }

  private static CopyOutcome refused(OsdId osd, ErrorCode code, String message) {
    return CopyOutcome.refused(new WeftException(code, "OSD " + osd + ": " + message));
  }
}
