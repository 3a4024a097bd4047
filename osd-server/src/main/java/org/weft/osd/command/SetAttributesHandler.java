package org.weft.osd.command;

import com.google.protobuf.MessageLite;
import org.weft.osd.store.AttributeUpdate;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.Receipt;
import org.weft.protocol.capability.Right;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;

/**
 * SET_ATTRIBUTES: pages of a manager, each stored if it is newer (P 6.3), and completion marks (P
 * 5.4).
 */
final class SetAttributesHandler implements MutationHandler {
  private final CapabilityChecker checker;

  SetAttributesHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(Command command) throws RpcException {
    SetAttributesRequest request = command.parse(SetAttributesRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    Limits.atMost("completeUpTo", request.getCompleteUpTo(), Limits.MAX_SEQ);
    return new AttributeUpdate(
        authorized.name(),
        authorized.authority(),
        AttributePages.checked(request.getPagesList()),
        Tags.checked(request.hasCreate(), request.getCreate()),
        request.getCompleteGrant(),
        request.getCompleteUpTo(),
        request.getCreateFloor(),
        false);
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return SetAttributesReply.newBuilder()
        .setSkipped(receipt.skipped())
        .setPendingCheckpoint(receipt.pendingCheckpoint())
        .setDurableCheckpoint(receipt.durableCheckpoint())
        .build();
  }
}
