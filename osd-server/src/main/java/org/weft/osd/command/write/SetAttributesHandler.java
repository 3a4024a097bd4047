package org.weft.osd.command.write;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.command.request.AttributePages;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.value.CompletionMark;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.SetAttributesReply;
import org.weft.protocol.wire.SetAttributesRequest;

/**
 * SET_ATTRIBUTES: pages of a manager, each stored if it is newer (P 6.3), and completion marks (P
 * 5.4).
 */
final class SetAttributesHandler implements MutationHandler {
  private static final int MAX_MARKS = 1_024;

  private final CapabilityChecker checker;

  SetAttributesHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(ReceivedCommand command) throws WeftException {
    SetAttributesRequest request = command.parse(SetAttributesRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    return new AttributeUpdate(
        authorized.name(),
        authorized.authority().inRound(request.getRound()),
        AttributePages.checked(request.getPagesList()),
        Tags.checked(request.hasCreate(), request.getCreate()),
        marks(request),
        request.getFloor(),
        request.getCreateFloor(),
        false);
  }

  private static List<CompletionMark> marks(SetAttributesRequest request) throws WeftException {
    CommandLimits.atMost("count of completion marks", request.getCompleteCount(), MAX_MARKS);
    List<CompletionMark> marks = new ArrayList<>(request.getCompleteCount());
    for (CompletionMarkMessage mark : request.getCompleteList()) {
      CommandLimits.atMost("completeUpTo", mark.getCompleteUpTo(), CommandLimits.MAX_SEQ);
      marks.add(new CompletionMark(mark.getGrant(), mark.getCompleteUpTo()));
    }
    return marks;
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
