package org.weft.sysmgr.configuration.node;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;

/**
 * Which clients an OSD refuses, because maps may call components missing that lie on it, or because
 * it may have lost writes (P 5.8, 5.9). It ends volume by volume.
 *
 * @param number how many there have been; what is said of an earlier one is void
 * @param active it lasts
 * @param lostWrites its machine went down uncleanly: what no checkpoint covered may be gone
 * @param closed volumes that there were when it began and whose managers have not compared it since
 * @param open volumes whose clients the OSD says that it serves; kept until the OSD is UP
 * @param sinceMillis wall time of its beginning, to show
 */
public record Quarantine(
    long number,
    boolean active,
    boolean lostWrites,
    SortedSet<PartitionId> closed,
    SortedSet<PartitionId> open,
    long sinceMillis) {
  /** There has been none. */
  public static final Quarantine NONE =
      new Quarantine(0, false, false, new TreeSet<>(), new TreeSet<>(), 0);

  public Quarantine {
    closed = Collections.unmodifiableSortedSet(new TreeSet<>(closed));
    open = Collections.unmodifiableSortedSet(new TreeSet<>(open));
  }

  /** It begins, or begins anew before it has ended: for each of these volumes. */
  public Quarantine begun(boolean mayLackWrites, SortedSet<PartitionId> volumes, long nowMillis) {
    return new Quarantine(
        number + 1,
        true,
        mayLackWrites || (active && lostWrites),
        volumes,
        new TreeSet<>(),
        active ? sinceMillis : nowMillis);
  }

  /** The volume's manager has compared the OSD. */
  public Quarantine comparedBy(PartitionId volume) {
    SortedSet<PartitionId> fewer = new TreeSet<>(closed);
    fewer.remove(volume);
    return new Quarantine(number, active, lostWrites, fewer, open, sinceMillis);
  }

  /** The OSD has said whose clients it serves; volumes that are closed stay closed. */
  public Quarantine serving(SortedSet<PartitionId> volumes) {
    SortedSet<PartitionId> served = new TreeSet<>(volumes);
    served.removeAll(closed);
    return new Quarantine(number, active, lostWrites, closed, served, sinceMillis);
  }

  /** Without volumes that are gone. */
  public Quarantine among(SortedSet<PartitionId> volumes) {
    if (volumes.containsAll(closed) && volumes.containsAll(open)) {
      return this;
    }
    SortedSet<PartitionId> stillClosed = new TreeSet<>(closed);
    stillClosed.retainAll(volumes);
    SortedSet<PartitionId> stillOpen = new TreeSet<>(open);
    stillOpen.retainAll(volumes);
    return new Quarantine(number, active, lostWrites, stillClosed, stillOpen, sinceMillis);
  }

  /** One that no OSD has heard of, after the loss of SysMgr. */
  public Quarantine jumped(long by) {
    return new Quarantine(number + by, active, lostWrites, closed, new TreeSet<>(), sinceMillis);
  }

  /** It is over. */
  Quarantine ended() {
    return new Quarantine(number, false, false, new TreeSet<>(), open, 0);
  }
}
