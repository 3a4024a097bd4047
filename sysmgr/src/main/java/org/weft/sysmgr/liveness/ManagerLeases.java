package org.weft.sysmgr.liveness;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ManagerId;

/**
 * Until when managers may serve by what this leader told them (P 6.2). A start of a manager gets no
 * new epoch before the lease of the start before it has run out: the older process may still live,
 * on another machine or under a copied data directory. Pure and single-threaded; times are
 * nanoseconds of the leader's monotonic clock.
 *
 * <p>A manager counts its lease from sending the request, so a lease counted from the reply ends
 * later here than there. Leases of an earlier leader are not known here; that leader's successor
 * waits one lease before any new epoch.
 */
public final class ManagerLeases {
  public static final int LEASE_MILLIS = 2_000;
  public static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);

  /** The start that owns the volumes, and the end of its lease. */
  private record Holder(long incarnation, long untilNanos) {}

  private final SortedMap<ManagerId, Holder> holders = new TreeMap<>();

  /** Starts that wait for an older lease to end, by manager. */
  private final SortedMap<ManagerId, Integer> successors = new TreeMap<>();

  /** The start has got the epochs of its volumes, and with them a lease. */
  public void acquired(ManagerId manager, long incarnation, long nowNanos) {
    holders.put(manager, new Holder(incarnation, nowNanos + LEASE_NANOS));
  }

  /**
   * A heartbeat is about to be answered.
   *
   * @param serves whether it names volumes
   * @return whether the answer may renew the lease; if so, the lease counts from now
   */
  public boolean renew(ManagerId manager, long incarnation, boolean serves, long nowNanos) {
    if (successors.containsKey(manager)) {
      return false;
    }
    Holder holder = holders.get(manager);
    if (serves || holder != null && holder.incarnation() == incarnation) {
      acquired(manager, incarnation, nowNanos);
    }
    return true;
  }

  /** The start has said that it stopped serving. */
  public void left(ManagerId manager, long incarnation) {
    holders.computeIfPresent(
        manager, (id, holder) -> holder.incarnation() == incarnation ? null : holder);
  }

  /**
   * A new start asks for its volumes: from now on no lease of this manager is renewed, until {@link
   * #endSuccession}.
   *
   * @return how long to wait until the last lease has run out, in nanoseconds; 0 or less: not at
   *     all
   */
  public long beginSuccession(ManagerId manager, long nowNanos) {
    successors.merge(manager, 1, Integer::sum);
    Holder holder = holders.get(manager);
    return holder == null ? 0 : holder.untilNanos() - nowNanos;
  }

  /** The new start got its volumes, or was refused. Once for each {@link #beginSuccession}. */
  public void endSuccession(ManagerId manager) {
    successors.computeIfPresent(manager, (id, count) -> count == 1 ? null : count - 1);
  }
}
