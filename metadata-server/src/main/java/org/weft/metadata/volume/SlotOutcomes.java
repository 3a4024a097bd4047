package org.weft.metadata.volume;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SlotAnswer;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;

/** Between outcomes and what reply slots keep of them (P 6.4). */
final class SlotOutcomes {
  private SlotOutcomes() {}

  /**
   * To a client without patience "not now" is an answer. The slot remembers it as BUSY, so that a
   * late attempt under the same number is not carried out (P 6.4.9).
   */
  static Outcome asAnswer(Caller caller, Outcome outcome) {
    return outcome instanceof Outcome.Refused refused
            && !caller.patient()
            && refused.why().code() == ErrorCode.UNAVAILABLE
        ? new Outcome.Refused(
            new WeftException(ErrorCode.BUSY, refused.why().getMessage(), refused.why()),
            refused.seen())
        : outcome;
  }

  /** Reads and refusals leave no record; the slot remembers them while this process lives. */
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
      } else if (outcome instanceof Outcome.Refused refused && !refused.why().code().isNotTaken()) {
        session.answered(
            caller.slot(),
            caller.sequence(),
            SlotAnswer.refused(refused.why().code(), refused.why().getMessage(), refused.seen()));
      }
    } catch (WeftException e) {
      throw new IllegalStateException("the slot was there a moment ago: " + caller, e);
    }
  }

  /** What a request is answered that was answered so before. */
  static Outcome again(SlotAnswer answer) {
    if (answer.refusal() != null) {
      return new Outcome.Refused(
          new WeftException(answer.refusal(), answer.message()), answer.seen());
    }
    try {
      // The same bytes as before: Empty carries fields it does not know.
      return new Outcome.Done(Empty.parseFrom(answer.body()), answer.seen(), Optional.empty());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a journalled reply is no message", e);
    }
  }
}
