package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;

/** FENCE: manager commands of smaller epochs are refused from now on; always durable (P 6.2). */
final class FenceHandler implements MutationHandler {
  private final CapabilityChecker checker;

  FenceHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    FenceRequest request = command.parse(FenceRequest.parser());
    Authorized authorized = checker.partition(command, request.getCapability(), Right.MANAGE);
    // A later epoch comes with its own manager, which has the right to it from SysMgr.
    CommandLimits.atMost("epoch of the fence", request.getEpoch(), authorized.capability().epoch());
    return new PartitionFence(authorized.partition().id(), request.getEpoch());
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return FenceReply.newBuilder().setEpoch(receipt.inForce()).build();
  }
}
