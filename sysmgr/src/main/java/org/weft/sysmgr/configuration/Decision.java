package org.weft.sysmgr.configuration;

import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;

/** The outcome of a command: the state after it, and its reply. */
public record Decision(Configuration next, CommandResult answer) {
  static Decision refused(Configuration state, ErrorCode code, String message) {
    return new Decision(state, new CommandResult.Refused(code, message));
  }

  static Decision unchanged(Configuration state, CommandResult answer) {
    return new Decision(state, answer);
  }
}
