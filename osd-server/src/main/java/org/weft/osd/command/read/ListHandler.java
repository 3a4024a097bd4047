package org.weft.osd.command.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectListing;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.ListReply;
import org.weft.protocol.wire.ListRequest;

/** LIST: object ids of a partition, in ascending order; a {@code max} of 0 takes as many as fit. */
record ListHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    ListRequest request = command.parse(ListRequest.parser());
    Authorized authorized =
        checker.partition(command, request.getCapability(), Right.MANAGE, Right.LOOK);
    int max = CommandLimits.atMost("max", request.getMax(), Integer.MAX_VALUE);
    ObjectListing listing =
        store.list(
            authorized.partition().id(),
            authorized.authority(),
            new ObjectId(request.getAfterObjectId()),
            max == 0 ? CommandLimits.MAX_LIST : Math.min(max, CommandLimits.MAX_LIST));
    ListReply.Builder reply = ListReply.newBuilder().setMore(listing.more());
    listing.objects().forEach(id -> reply.addObjectId(id.value()));
    return CompletableFuture.completedStage(CommandReply.of(reply.build()));
  }
}
