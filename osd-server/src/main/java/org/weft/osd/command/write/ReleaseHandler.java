package org.weft.osd.command.write;

import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.request.WriteIds;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.TruncateRequest;

/**
 * TRUNCATE and PUNCH (P 4.3): answered when the last part is committed. A kill between the parts of
 * a long one leaves some of the blocks. The writer sends it again, or the process that finishes the
 * truncation for the writer does.
 */
record ReleaseHandler(ObjectStore store, Preparation preparation) implements CommandHandler {
  /** Checks everything that can be checked before the store is called; changes nothing. */
  @FunctionalInterface
  interface Preparation {
    BlockRelease of(ReceivedCommand command) throws WeftException;
  }

  static ReleaseHandler truncate(CapabilityChecker checker, ObjectStore store) {
    return new ReleaseHandler(store, command -> truncation(checker, command));
  }

  static ReleaseHandler punch(CapabilityChecker checker, ObjectStore store) {
    return new ReleaseHandler(store, command -> punch(checker, command));
  }

  private static BlockRelease truncation(CapabilityChecker checker, ReceivedCommand command)
      throws WeftException {
    TruncateRequest request = command.parse(TruncateRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    CommandLimits.wholeBlocks("length", request.getLength());
    WriteFields.checkLength(request.getEof(), request.getTruncationNumber());
    WriteIds.check(request.getSeq(), request.getCompleteUpTo());
    return new ObjectTruncation(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        request.getLength(),
        request.getEof(),
        request.getTruncationNumber(),
        request.getSeq(),
        request.getCompleteUpTo(),
        0,
        request.getDurable());
  }

  private static BlockRelease punch(CapabilityChecker checker, ReceivedCommand command)
      throws WeftException {
    PunchRequest request = command.parse(PunchRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    CommandLimits.range(request.getOffset(), request.getLength());
    CommandLimits.wholeBlocks("offset", request.getOffset());
    CommandLimits.wholeBlocks("length", request.getLength());
    WriteIds.check(request.getSeq(), request.getCompleteUpTo());
    return new ObjectPunch(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        request.getOffset(),
        request.getLength(),
        request.getSeq(),
        request.getCompleteUpTo(),
        0);
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    CommandLimits.noPayload(command);
    return new ReleaseRun(store)
        .begin(preparation.of(command))
        .thenApply(receipt -> CommandReply.of(RangeReplies.of(receipt)));
  }
}
