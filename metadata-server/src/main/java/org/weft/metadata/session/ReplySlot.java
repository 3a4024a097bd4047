package org.weft.metadata.session;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * A place for a request under way. The client sends the next number only after an answer, so the
 * last answer is all that a retry can ask for (P 6.4). Numbers may jump ahead: after a restart
 * there is no trace of reads and refusals.
 */
final class ReplySlot {
  private long sequence;
  private SlotAnswer answer;

  /**
   * What to do with a request of this number: empty to execute it, else the answer it already got.
   *
   * @throws WeftException INVALID_ARGUMENT for a stale duplicate
   */
  Optional<SlotAnswer> admit(long number) throws WeftException {
    if (number <= 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "slot sequence numbers count from 1, got " + number);
    }
    if (number < sequence) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "request " + number + " is a stale duplicate: its slot is at " + sequence);
    }
    return number == sequence ? Optional.ofNullable(answer) : Optional.empty();
  }

  /** A request of this number would be executed: neither it nor a later one has an answer. */
  boolean isOpen(long number) {
    return number > sequence || number == sequence && answer == null;
  }

  /** A change or a refusal was answered so. */
  void answered(long number, SlotAnswer with) {
    sequence = number;
    answer = with;
  }

  /** A read was answered; a retry simply reads again. */
  void read(long number) {
    sequence = number;
    answer = null;
  }

  long sequence() {
    return sequence;
  }

  SlotAnswer answer() {
    return answer;
  }
}
