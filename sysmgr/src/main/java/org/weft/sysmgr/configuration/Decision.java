package org.weft.sysmgr.configuration;

import org.weft.protocol.rpc.ErrorCode;

/** What a command would do: the state after it, and its answer. */
public record Decision(Configuration next, Answer answer) {
  static Decision refused(Configuration state, ErrorCode code, String message) {
    return new Decision(state, new Answer.Refused(code, message));
  }

  static Decision unchanged(Configuration state, Answer answer) {
    return new Decision(state, answer);
  }
}
