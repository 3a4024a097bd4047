package org.weft.osd.command.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Stamps;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;

/** GET_STAMP: the last write ids of a range (P 5.6). */
record GetStampHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    GetStampRequest request = command.parse(GetStampRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.READ);
    CommandLimits.readRange(request.getOffset(), request.getLength());
    Stamps stamps =
        store.stamps(
            new ObjectRead(
                authorized.name(),
                authorized.authority(),
                request.getOffset(),
                request.getLength(),
                true));
    GetStampReply reply =
        GetStampReply.newBuilder()
            .addAllStamps(Stamping.messages(stamps.stamps()))
            .setPending(stamps.pending())
            .build();
    return CompletableFuture.completedStage(CommandReply.of(reply));
  }
}
