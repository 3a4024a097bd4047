package org.weft.osd.command.read;

import java.util.List;
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
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.BadBlocks;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ListBadBlocksReply;
import org.weft.protocol.wire.ListBadBlocksRequest;

/** LIST_BAD_BLOCKS: what managers are to write anew (P 6.8b). From memory. */
record ListBadBlocksHandler(CapabilityChecker checker, Supplier<BadBlocks> known)
    implements CommandHandler {
  private static final int MAX = 1_000;

  @Override
  public Optional<CommandReply> now(ReceivedCommand command) throws WeftException {
    return Optional.of(answer(command));
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    return CompletableFuture.completedStage(answer(command));
  }

  private CommandReply answer(ReceivedCommand command) throws WeftException {
    ListBadBlocksRequest request = command.parse(ListBadBlocksRequest.parser());
    Authorized authorized = checker.partition(command, request.getCapability(), Right.MANAGE);
    int max = CommandLimits.atMost("max", request.getMax(), Integer.MAX_VALUE);
    int most = max == 0 ? MAX : Math.min(max, MAX);
    List<BadBlock> behind =
        known.get().of(authorized.partition().id()).stream()
            .filter(block -> isBehind(block, request))
            .toList();
    ListBadBlocksReply.Builder reply = ListBadBlocksReply.newBuilder();
    behind.stream().limit(most).forEach(block -> reply.addBlocks(message(block)));
    return CommandReply.of(reply.setMore(behind.size() > most).build());
  }

  private static boolean isBehind(BadBlock block, ListBadBlocksRequest request) {
    int order = Long.compareUnsigned(block.object().object().value(), request.getAfterObjectId());
    return order > 0 || order == 0 && block.block() > request.getAfterBlock();
  }

  private static org.weft.protocol.wire.BadBlock message(BadBlock block) {
    return org.weft.protocol.wire.BadBlock.newBuilder()
        .setObjectId(block.object().object().value())
        .setBlock(block.block())
        .build();
  }
}
