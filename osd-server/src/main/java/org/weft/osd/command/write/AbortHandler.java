package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.request.WriteIds;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.AbortRequest;

/** ABORT: a pending write is undone, by its writer or a manager (P 5.4, 5.5). */
final class AbortHandler implements MutationHandler {
  private final CapabilityChecker checker;

  AbortHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    AbortRequest request = command.parse(AbortRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    CommandLimits.noPayload(command);
    WriteIds.checkRun(request.getFirstSeq(), request.getSeqCount());
    return new WriteAbort(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        request.getFirstSeq(),
        request.getSeqCount(),
        false);
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return AbortReply.newBuilder()
        .setUndone(receipt.existed())
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
