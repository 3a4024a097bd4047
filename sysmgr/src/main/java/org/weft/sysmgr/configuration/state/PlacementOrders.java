package org.weft.sysmgr.configuration.state;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.RemovedManager;
import org.weft.sysmgr.configuration.volume.VolumeMove;

/**
 * Which managers are to serve which volumes, and which OSDs are to hold nothing any more, as far as
 * people have said so.
 *
 * @param moves those under way, and of each other volume the last one if it was given up
 * @param draining managers that are to have no volumes
 * @param removed OSDs that do not come back: they are DOWN for ever, and let in no more
 * @param drains OSDs whose components are to go to others, also those that were removed meanwhile.
 *     Each has the number of that drain, which no other drain ever has
 * @param balances the last balance of each BladeSet that had one
 * @param removedManagers that do not come back: they stand in no table, and are let in no more
 * @param repairPause nothing is rebuilt or drained while there is one
 */
public record PlacementOrders(
    SortedMap<PartitionId, VolumeMove> moves,
    SortedSet<ManagerId> draining,
    SortedSet<OsdId> removed,
    SortedMap<OsdId, Long> drains,
    SortedMap<String, Balance> balances,
    SortedMap<ManagerId, RemovedManager> removedManagers,
    Optional<RepairPause> repairPause) {
  /** The drain of an OSD that is not drained. */
  public static final long NO_DRAIN = 0;

  /** Nothing was asked for. */
  static final PlacementOrders NONE =
      new PlacementOrders(
          new TreeMap<>(),
          new TreeSet<>(),
          new TreeSet<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          Optional.empty());

  public PlacementOrders {
    moves = Collections.unmodifiableSortedMap(new TreeMap<>(moves));
    draining = Collections.unmodifiableSortedSet(new TreeSet<>(draining));
    drains = Collections.unmodifiableSortedMap(new TreeMap<>(drains));
    removed = Collections.unmodifiableSortedSet(new TreeSet<>(removed));
    balances = Collections.unmodifiableSortedMap(new TreeMap<>(balances));
    removedManagers = Collections.unmodifiableSortedMap(new TreeMap<>(removedManagers));
  }

  /**
   * As nothing of it is under way: no volume moves, and no BladeSet is balanced. A pause goes on.
   */
  public PlacementOrders atRest() {
    return new PlacementOrders(
        new TreeMap<>(), draining, removed, drains, new TreeMap<>(), removedManagers, repairPause);
  }

  /** Rebuilds and drains pause, or go on. */
  public PlacementOrders with(Optional<RepairPause> pause) {
    return new PlacementOrders(moves, draining, removed, drains, balances, removedManagers, pause);
  }

  /** The BladeSet is no more, and its balance with it. */
  public PlacementOrders withoutBalance(String bladeSet) {
    SortedMap<String, Balance> next = new TreeMap<>(balances);
    next.remove(bladeSet);
    return new PlacementOrders(
        moves, draining, removed, drains, next, removedManagers, repairPause);
  }

  /** The last balance of a BladeSet; empty if it had none. */
  public Optional<Balance> balance(String bladeSet) {
    return Optional.ofNullable(balances.get(bladeSet));
  }

  /** With that as the last balance of the BladeSet. */
  public PlacementOrders with(String bladeSet, Balance balance) {
    SortedMap<String, Balance> next = new TreeMap<>(balances);
    next.put(bladeSet, balance);
    return new PlacementOrders(
        moves, draining, removed, drains, next, removedManagers, repairPause);
  }

  /** The move of the volume that is under way. */
  public Optional<VolumeMove> underWay(PartitionId volume) {
    return Optional.ofNullable(moves.get(volume)).filter(VolumeMove::underWay);
  }

  /** New volumes may be placed there, and others may move there. */
  public boolean takesVolumes(ManagerNode manager) {
    return manager.node().liveness() == Liveness.UP && !draining.contains(manager.id());
  }

  /** With that as the last move of the volume. */
  public PlacementOrders with(PartitionId volume, VolumeMove move) {
    SortedMap<PartitionId, VolumeMove> next = new TreeMap<>(moves);
    next.put(volume, move);
    return new PlacementOrders(
        next, draining, removed, drains, balances, removedManagers, repairPause);
  }

  /** Without a move of the volume. */
  public PlacementOrders without(PartitionId volume) {
    SortedMap<PartitionId, VolumeMove> next = new TreeMap<>(moves);
    next.remove(volume);
    return new PlacementOrders(
        next, draining, removed, drains, balances, removedManagers, repairPause);
  }

  /** The volume has another primary now. */
  public PlacementOrders handedOver(PartitionId volume, ManagerId primary) {
    boolean arrived =
        Optional.ofNullable(moves.get(volume))
            .filter(each -> each.target().equals(primary))
            .isPresent();
    return arrived ? without(volume) : this;
  }

  /** The manager is to have no volumes, or may have some again. */
  public PlacementOrders draining(ManagerId manager, boolean drained) {
    SortedSet<ManagerId> next = new TreeSet<>(draining);
    if (drained) {
      next.add(manager);
    } else {
      next.remove(manager);
    }
    return new PlacementOrders(
        moves, next, removed, drains, balances, removedManagers, repairPause);
  }

  /** The OSD does not come back. */
  public PlacementOrders without(OsdId osd) {
    SortedSet<OsdId> next = new TreeSet<>(removed);
    next.add(osd);
    return new PlacementOrders(
        moves, draining, next, drains, balances, removedManagers, repairPause);
  }

  /** The manager does not come back, and so is not drained either. */
  public PlacementOrders without(ManagerId manager, RemovedManager as) {
    SortedMap<ManagerId, RemovedManager> next = new TreeMap<>(removedManagers);
    next.put(manager, as);
    SortedSet<ManagerId> left = new TreeSet<>(draining);
    left.remove(manager);
    return new PlacementOrders(moves, left, removed, drains, balances, next, repairPause);
  }

  /** OSDs that are there and whose components are to go to others, ascending. */
  public SortedSet<OsdId> drainingOsds() {
    SortedSet<OsdId> there = new TreeSet<>(drains.keySet());
    there.removeAll(removed);
    return Collections.unmodifiableSortedSet(there);
  }

  /** Number of the OSD's drain; {@link #NO_DRAIN} if it is not drained. */
  public long drainOf(OsdId osd) {
    return drains.getOrDefault(osd, NO_DRAIN);
  }

  /**
   * The OSD is drained from now on.
   *
   * @param number larger than those of all drains before
   */
  public PlacementOrders drained(OsdId osd, long number) {
    SortedMap<OsdId, Long> next = new TreeMap<>(drains);
    next.put(osd, number);
    return new PlacementOrders(
        moves, draining, removed, next, balances, removedManagers, repairPause);
  }

  /** The OSD keeps what it has. */
  public PlacementOrders undrained(OsdId osd) {
    SortedMap<OsdId, Long> next = new TreeMap<>(drains);
    next.remove(osd);
    return new PlacementOrders(
        moves, draining, removed, next, balances, removedManagers, repairPause);
  }

  /** Nothing that was found of a drain before counts for those that are under way now. */
  public PlacementOrders withDrainsAt(long number) {
    SortedMap<OsdId, Long> next = new TreeMap<>(drains);
    drainingOsds().forEach(osd -> next.put(osd, number));
    return new PlacementOrders(
        moves, draining, removed, next, balances, removedManagers, repairPause);
  }
}
