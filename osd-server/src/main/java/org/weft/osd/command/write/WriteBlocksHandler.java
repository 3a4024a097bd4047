package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import java.util.HashSet;
import java.util.Set;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.WriteBlocksReply;
import org.weft.protocol.wire.WriteBlocksRequest;

/** WRITE_BLOCKS: a manager's directory blocks, each stored if it is newer (P 6.3). */
final class WriteBlocksHandler implements MutationHandler {
  private final CapabilityChecker checker;
  private final ObjectStore store;

  WriteBlocksHandler(CapabilityChecker checker, ObjectStore store) {
    this.checker = checker;
    this.store = store;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    WriteBlocksRequest request = command.parse(WriteBlocksRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    checkIncarnation(request);
    checkCounts(request, command.payload().lengthBytes());
    CommandLimits.atMost("eof", request.getEof(), CommandLimits.MAX_FILE_BYTES);
    return new BlockWrite(
        authorized.name(),
        authorized.authority().inRound(request.getRound()),
        numbers(request),
        request.getLsnList().stream().mapToLong(Long::longValue).toArray(),
        request.getBlockCrcList().stream().mapToInt(Integer::intValue).toArray(),
        command.payload().buffers(),
        Tags.checked(request.hasCreate(), request.getCreate()),
        request.getEof(),
        false);
  }

  /**
   * Blocks build on others that this OSD took. If it has started again since, it may have lost some
   * of those. A directory of which only the newer blocks are here fits nothing.
   */
  private void checkIncarnation(WriteBlocksRequest request) throws WeftException {
    long own = store.identity().incarnation();
    long meant = request.getIncarnation();
    if (meant != 0 && meant != own) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          ("these blocks of object %s build on what incarnation %s of this OSD took, but it has"
                  + " started again: this is incarnation %s, which may lack some of that; the"
                  + " manager now sends everything again that is not under a checkpoint")
              .formatted(
                  Long.toUnsignedString(request.getObjectId()),
                  Long.toUnsignedString(meant),
                  Long.toUnsignedString(own)));
    }
  }

  private static void checkCounts(WriteBlocksRequest request, int payloadBytes)
      throws WeftException {
    int blocks = request.getNumberCount();
    if (request.getLsnCount() != blocks
        || request.getBlockCrcCount() != blocks
        || payloadBytes != (long) blocks * CommandLimits.BLOCK_BYTES) {
      throw CommandLimits.invalid(
          "%d block numbers need as many LSNs and checksums and %d bytes each: got %d, %d and %d"
              + " bytes in all",
          blocks,
          CommandLimits.BLOCK_BYTES,
          request.getLsnCount(),
          request.getBlockCrcCount(),
          payloadBytes);
    }
  }

  private static long[] numbers(WriteBlocksRequest request) throws WeftException {
    Set<Long> seen = new HashSet<>();
    for (long number : request.getNumberList()) {
      CommandLimits.atMost(
          "block number",
          number,
          CommandLimits.MAX_COMPONENT_BYTES / CommandLimits.BLOCK_BYTES - 1);
      if (!seen.add(number)) {
        throw CommandLimits.invalid("block %d comes twice", number);
      }
    }
    return request.getNumberList().stream().mapToLong(Long::longValue).toArray();
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return WriteBlocksReply.newBuilder()
        .setSkipped(receipt.skipped())
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
