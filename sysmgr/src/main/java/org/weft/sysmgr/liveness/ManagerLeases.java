package org.weft.sysmgr.liveness;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ManagerId;

/**
 * Notes until when managers may serve by what this leader told them (P 6.2), whether a heartbeat or
 * an ACQUIRE_VOLUMES was answered. A volume gets no new epoch before the lease of the process that
 * serves it has run out. That holds whether a new start of the same manager asks for the epoch or
 * the backup is to have it. Until the outcome is known the lease is held, that is, not renewed.
 * Pure and single-threaded; times are nanoseconds of the leader's monotonic clock.
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

  /** How many changes of owner wait for the end of a lease, or for their outcome, by manager. */
  private final SortedMap<ManagerId, Integer> holds = new TreeMap<>();

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
    if (holds.containsKey(manager)) {
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
   * How long the last lease of the manager goes on, in nanoseconds; 0 or less: it has run out so
   * long ago.
   */
  public long leftNanos(ManagerId manager, long nowNanos) {
    Holder holder = holders.get(manager);
    return holder == null ? Long.MIN_VALUE : holder.untilNanos() - nowNanos;
  }

  /**
   * A volume of the manager is about to get a new epoch: from now on no lease of this manager is
   * renewed, until {@link #release}.
   */
  public void hold(ManagerId manager) {
    holds.merge(manager, 1, Integer::sum);
  }

  /** The outcome is known. Once for each {@link #hold}. */
  public void release(ManagerId manager) {
    holds.computeIfPresent(manager, (id, count) -> count == 1 ? null : count - 1);
  }
}
