package org.weft.sysmgr.configuration;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;

/**
 * Whether an OSD serves managers only, because maps may call components missing that lie on it, or
 * because it may have lost writes (P 5.8, 5.9).
 *
 * @param number how many there have been; what is said of an earlier one is void
 * @param active it lasts
 * @param lostWrites its machine went down uncleanly: what no checkpoint covered may be gone
 * @param readmittedBy volumes whose managers have compared it since it began
 * @param sinceMillis wall time of its beginning, to show
 */
public record Quarantine(
    long number,
    boolean active,
    boolean lostWrites,
    SortedSet<PartitionId> readmittedBy,
    long sinceMillis) {
  /** There has been none. */
  public static final Quarantine NONE = new Quarantine(0, false, false, new TreeSet<>(), 0);

  public Quarantine {
    readmittedBy = Collections.unmodifiableSortedSet(new TreeSet<>(readmittedBy));
  }

  /** It begins, or begins anew before it has ended. */
  Quarantine begun(boolean mayLackWrites, long nowMillis) {
    return new Quarantine(
        number + 1,
        true,
        mayLackWrites || (active && lostWrites),
        new TreeSet<>(),
        active ? sinceMillis : nowMillis);
  }

  Quarantine readmittedBy(PartitionId volume) {
    SortedSet<PartitionId> more = new TreeSet<>(readmittedBy);
    more.add(volume);
    return new Quarantine(number, active, lostWrites, more, sinceMillis);
  }

  Quarantine ended() {
    return new Quarantine(number, false, false, new TreeSet<>(), 0);
  }
}
