package org.weft.osd.command.read;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.BadBlocks;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ReportBadBlocksReply;
import org.weft.protocol.wire.ReportBadBlocksRequest;

/** REPORT_BAD_BLOCKS: a reader complains (P 6.8b). The OSD looks for itself, and answers before. */
record ReportBadBlocksHandler(CapabilityChecker checker, Supplier<BadBlocks> known)
    implements CommandHandler {
  private static final int MAX_BLOCKS = 1_024;

  @Override
  public Optional<CommandReply> now(ReceivedCommand command) throws WeftException {
    return Optional.of(answer(command));
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    return CompletableFuture.completedStage(answer(command));
  }

  private CommandReply answer(ReceivedCommand command) throws WeftException {
    ReportBadBlocksRequest request = command.parse(ReportBadBlocksRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.READ);
    if (authorized.looksAlone()) {
      throw new WeftException(
          ErrorCode.CAPABILITY_INVALID,
          "the capability is to look alone: a report has the OSD note bad blocks");
    }
    int count = CommandLimits.atMost("count of blocks", request.getBlockCount(), MAX_BLOCKS);
    long most = CommandLimits.MAX_COMPONENT_BYTES / CommandLimits.BLOCK_BYTES - count;
    long first = CommandLimits.atMost("first block", request.getFirstBlock(), most);
    known.get().complain(authorized.name(), first, count);
    return CommandReply.of(ReportBadBlocksReply.getDefaultInstance());
  }
}
