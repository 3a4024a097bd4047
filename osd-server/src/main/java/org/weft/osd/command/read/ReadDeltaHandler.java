package org.weft.osd.command.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.request.WriteIds;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.protocol.wire.ReadDeltaRequest;

/** READ_DELTA: what a pending XOR write changes here, for the components that lack it (P 5.5). */
record ReadDeltaHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    ReadDeltaRequest request = command.parse(ReadDeltaRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    CommandLimits.noPayload(command);
    WriteIds.check(request.getSeq(), 0);
    Delta delta =
        store.readDelta(
            authorized.name(), WriteIds.writer(request.getGrant(), authorized), request.getSeq());
    ReadDeltaReply.Builder reply = ReadDeltaReply.newBuilder().setOffset(delta.offsetBytes());
    for (int crc : delta.blockCrcs()) {
      reply.addBlockCrc(crc);
    }
    Payload payload = Payload.of(delta.data(), () -> {});
    return CompletableFuture.completedStage(new CommandReply(reply.build(), payload));
  }
}
