package org.weft.metadata.journal;

import java.util.Objects;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.PartitionId;

/** The owner of a journal. It is in every file, and files of another owner are refused. */
public record JournalIdentity(PartitionId volume, ClusterId cluster) {
  public JournalIdentity {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(cluster, "cluster");
  }
}
