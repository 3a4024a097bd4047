package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.RemoveReply;
import org.weft.protocol.wire.RemoveRequest;

/** REMOVE: leaves a tombstone with the LSN of the unlink (P 6.6). */
final class RemoveHandler implements MutationHandler {
  private final CapabilityChecker checker;

  RemoveHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    RemoveRequest request = command.parse(RemoveRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    if (request.getLsn() == 0) {
      throw CommandLimits.invalid(
          "REMOVE needs the LSN of the unlink: a tombstone of LSN 0 stops nothing");
    }
    return new ObjectRemoval(
        authorized.name(),
        authorized.authority().inRound(request.getRound()),
        request.getLsn(),
        request.getCreateFloor(),
        request.getOnlyIfAbsent(),
        false);
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return RemoveReply.newBuilder()
        .setExisted(receipt.existed())
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
