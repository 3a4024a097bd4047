package org.weft.sysmgr.configuration;

import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Takes a restored configuration over, whole. A repeat finds the cluster there and changes nothing.
 */
final class RestoreRule {
  private RestoreRule() {}

  static Decision decide(Configuration state, Command.Restore command) {
    return state.cluster().isPresent()
        ? Decision.unchanged(state, new CommandResult.Done())
        : new Decision(command.restored(), new CommandResult.Done());
  }
}
