package org.weft.osd.command.read;

import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FlushReply;
import org.weft.protocol.wire.FlushRequest;

/**
 * FLUSH: all that the object or, with object id 0, the partition holds is durable before the reply
 * (P 5.9). One checkpoint serves every object, so nothing finer is needed.
 */
record FlushHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    FlushRequest request = command.parse(FlushRequest.parser());
    if (request.getObjectId() == Capability.WHOLE_PARTITION) {
      var unused = checker.partition(command, request.getCapability(), Right.WRITE);
    } else {
      Authorized authorized =
          checker.object(
              command, request.getCapability(), request.getObjectId(), Right.WRITE, Right.COPY);
      // A caller that is fenced, or flushes what is not there, must hear of it rather than
      // "durable".
      var unused =
          store.stamps(new ObjectRead(authorized.name(), authorized.authority(), 0, 0, true));
    }
    return store
        .checkpointNow()
        .thenApply(
            number ->
                CommandReply.of(FlushReply.newBuilder().setDurableCheckpoint(number).build()));
  }
}
