package org.weft.metadata.volume;

import org.weft.metadata.session.Session;
import org.weft.metadata.session.SlotAnswer;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** What a reply slot keeps of an answer that is in no record (P 6.4). */
final class SlotMemory {
  private SlotMemory() {}

  /** Reads and refusals leave no record; the slot remembers them as long as this process lives. */
  static void remember(Session session, Caller caller, Operation operation, Outcome outcome) {
    try {
      if (outcome instanceof Outcome.Done done
          && done.record().isEmpty()
          && operation.isAnsweredOnce()) {
        session.answered(
            caller.slot(),
            caller.sequence(),
            SlotAnswer.unrecorded(done.reply().toByteString(), done.seen()));
      } else if (outcome instanceof Outcome.Done done && done.record().isEmpty()) {
        session.read(caller.slot(), caller.sequence());
      } else if (outcome instanceof Outcome.Refused refused && isAnswer(refused.why().code())) {
        session.answered(
            caller.slot(),
            caller.sequence(),
            SlotAnswer.refused(refused.why().code(), refused.why().getMessage(), refused.seen()));
      }
    } catch (RpcException e) {
      throw new IllegalStateException("the slot was there a moment ago: " + caller, e);
    }
  }

  /**
   * These say that the request was not taken up: the client sends it again under the same number.
   */
  private static boolean isAnswer(ErrorCode code) {
    return switch (code) {
      case UNAVAILABLE, NOT_SERVING, OVERLOADED -> false;
      default -> true;
    };
  }
}
