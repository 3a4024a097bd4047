package org.weft.osd.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.store.CompletionMark;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.PendingWrite;
import org.weft.protocol.capability.Right;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PendingKind;

/** LIST_PENDING: what a manager needs to know of an object to resolve its writers (P 5.5). */
record ListPendingHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<Answer> handle(Command command) throws RpcException {
    ListPendingRequest request = command.parse(ListPendingRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    Limits.noPayload(command);
    ListPendingReply reply = message(store.listPending(authorized.name(), authorized.authority()));
    if (reply.getSerializedSize() > Limits.MAX_REPLY_BODY_BYTES) {
      // A part of it would look like the whole.
      throw new RpcException(
          ErrorCode.OVERLOADED,
          "the pending list of %s has %d writes, more than an answer takes: complete some first"
              .formatted(authorized.name(), reply.getWritesCount()));
    }
    return CompletableFuture.completedStage(Answer.of(reply));
  }

  private static ListPendingReply message(PendingList list) {
    ListPendingReply.Builder reply =
        ListPendingReply.newBuilder()
            .setObjectVersion(list.version())
            .setResolvedBelow(list.resolvedBelow())
            .setEof(list.eofBytes())
            .setTruncationNumber(list.truncationNumber())
            .setTag(list.tag().toMessage())
            .setComponentBytes(list.componentBytes());
    for (PendingWrite write : list.writes()) {
      reply.addWrites(message(write));
    }
    for (CompletionMark mark : list.marks()) {
      reply.addMarks(
          CompletionMarkMessage.newBuilder().setGrant(mark.grant()).setCompleteUpTo(mark.upTo()));
    }
    return reply.build();
  }

  private static org.weft.protocol.wire.PendingWrite message(PendingWrite write) {
    return org.weft.protocol.wire.PendingWrite.newBuilder()
        .setGrant(write.grant())
        .setFirstSeq(write.firstSequence())
        .setSeqCount(write.sequenceCount())
        .setKind(kind(write.kind()))
        .addAllParticipants(write.participants())
        .setOffset(write.offsetBytes())
        .setLength(write.lengthBytes())
        .setEof(write.eofBytes())
        .setTruncationNumber(write.truncationNumber())
        .build();
  }

  private static PendingKind kind(org.weft.osd.store.PendingKind kind) {
    return switch (kind) {
      case STRIPE -> PendingKind.STRIPE;
      case XOR_DATA -> PendingKind.XOR_DATA;
      case XOR_DELTA -> PendingKind.XOR_DELTA;
      case ABORTED -> PendingKind.ABORTED;
    };
  }
}
