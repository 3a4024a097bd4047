package org.weft.sysmgr.configuration.node;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;

/**
 * Why an OSD that SysMgr hears is given up all the same: managers cannot use it (P 5.8).
 *
 * @param managers those that cannot; at least one
 * @param why a sentence for people
 * @param sinceMillis wall time since when, to show
 */
public record Unusable(SortedSet<ManagerId> managers, String why, long sinceMillis) {
  public Unusable {
    managers = Collections.unmodifiableSortedSet(new TreeSet<>(managers));
    if (managers.isEmpty()) {
      throw new IllegalArgumentException("an OSD is unusable to one manager at least");
    }
  }
}
