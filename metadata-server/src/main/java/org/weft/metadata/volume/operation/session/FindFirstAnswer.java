package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Looks for the answer of a change that states its origin, and executes nothing (P 6.5c). The
 * machine answers it from the first answers, or from the slot, before it would execute it.
 */
public record FindFirstAnswer() implements Operation {
  /**
   * No first answer is known.
   *
   * @throws WeftException NOT_FOUND, always
   */
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    on.view().sawAll();
    throw new WeftException(
        ErrorCode.NOT_FOUND,
        "no first answer to a request of this origin is known, or not any more");
  }
}
