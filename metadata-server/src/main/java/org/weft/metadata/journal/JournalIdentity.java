package org.weft.metadata.journal;

import java.util.Objects;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.PartitionId;

/** Whose journal it is; stands in every file, and files of another are refused. */
public record JournalIdentity(PartitionId volume, ClusterId cluster) {
  public JournalIdentity {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(cluster, "cluster");
  }
}
