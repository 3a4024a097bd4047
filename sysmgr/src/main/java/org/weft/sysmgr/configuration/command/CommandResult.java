package org.weft.sysmgr.configuration.command;

import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;

/** The result of applying a command. */
public sealed interface CommandResult {
  /** The command broke a rule; nothing was changed. */
  record Refused(ErrorCode code, String message) implements CommandResult {}

  record Done() implements CommandResult {}

  /** The node's id, new or as before. */
  record Joined(int nodeId) implements CommandResult {}

  /** The volumes that the manager owns; the configuration holds their epochs. */
  record Acquired(List<PartitionId> volumes) implements CommandResult {
    public Acquired {
      volumes = List.copyOf(volumes);
    }
  }
}
