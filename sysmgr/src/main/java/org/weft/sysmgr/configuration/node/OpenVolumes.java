package org.weft.sysmgr.configuration.node;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;

/**
 * The volumes whose clients an OSD in quarantine serves, as it says (P 5.8).
 *
 * @param quarantine number of the quarantine that it speaks of; 0: it said nothing
 * @param volumes whose clients it serves
 */
public record OpenVolumes(long quarantine, SortedSet<PartitionId> volumes) {
  /** Nothing was said. */
  public static final OpenVolumes NONE = new OpenVolumes(0, new TreeSet<>());

  public OpenVolumes {
    volumes = Collections.unmodifiableSortedSet(new TreeSet<>(volumes));
  }
}
