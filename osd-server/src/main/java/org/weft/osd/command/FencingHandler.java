package org.weft.osd.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FenceRequest;

/**
 * FENCE from a manager that may also say that SysMgr has given this OSD up: clients are refused
 * before it is answered (P 5.8).
 */
record FencingHandler(
    MutationHandler fence,
    CommandHandler committed,
    Supplier<OsdCommandService.QuarantineListener> quarantine)
    implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    FenceRequest request = command.parse(FenceRequest.parser());
    if (request.getQuarantine() == 0) {
      return committed.handle(command);
    }
    // A request without the right to it changes nothing.
    var unused = fence.prepare(command);
    return quarantine
        .get()
        .begins(request.getIncarnation(), request.getQuarantine())
        .thenCompose(begun -> answer(command));
  }

  private CompletionStage<CommandReply> answer(ReceivedCommand command) {
    try {
      return committed.handle(command);
    } catch (WeftException e) {
      return CompletableFuture.failedStage(e);
    }
  }
}
