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
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CompleteRequest;

/** COMPLETE: up to where the writes of a grant are complete, by its writer or a manager (P 5.4). */
final class CompleteHandler implements MutationHandler {
  private final CapabilityChecker checker;

  CompleteHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    CompleteRequest request = command.parse(CompleteRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    CommandLimits.noPayload(command);
    CommandLimits.atMost("completeUpTo", request.getCompleteUpTo(), CommandLimits.MAX_SEQ);
    WriteFields.checkLength(request.getEof(), request.getTruncationNumber());
    if (request.getForgetGivenBack() && !authorized.manager()) {
      throw CommandLimits.invalid("only managers say that what was given back is dealt with");
    }
    return new WriteCompletion(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        request.getCompleteUpTo(),
        request.getEof(),
        request.getTruncationNumber(),
        false,
        request.getForgetGivenBack());
  }

  @Override
  public boolean mayBeBrief(ReceivedCommand command) {
    return true;
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return RangeReplies.of(receipt);
  }
}
