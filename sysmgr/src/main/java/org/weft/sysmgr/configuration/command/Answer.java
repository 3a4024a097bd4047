package org.weft.sysmgr.configuration.command;

import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;

/** What applying a command gave. */
public sealed interface Answer {
  /** The command broke a rule; nothing was changed. */
  record Refused(ErrorCode code, String message) implements Answer {}

  record Done() implements Answer {}

  /** The node's id, new or as before. */
  record Joined(int nodeId) implements Answer {}

  /** The volumes that the manager owns; the configuration holds their epochs. */
  record Acquired(List<PartitionId> volumes) implements Answer {
    public Acquired {
      volumes = List.copyOf(volumes);
    }
  }
}
