package org.weft.sysmgr.configuration;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;

/**
 * Which managers are to serve which volumes, and which OSDs are to hold nothing any more, as far as
 * people have said so.
 *
 * @param moves those under way, and of each other volume the last one if it was given up
 * @param draining managers that are to have no volumes
 * @param removed OSDs that do not come back: they are DOWN for ever, and let in no more
 * @param drainingOsds OSDs whose components are to go to others; none of them is removed
 */
public record Placement(
    SortedMap<PartitionId, VolumeMove> moves,
    SortedSet<ManagerId> draining,
    SortedSet<OsdId> removed,
    SortedSet<OsdId> drainingOsds) {
  static final Placement NONE =
      new Placement(new TreeMap<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());

  public Placement {
    moves = Collections.unmodifiableSortedMap(new TreeMap<>(moves));
    draining = Collections.unmodifiableSortedSet(new TreeSet<>(draining));
    drainingOsds = Collections.unmodifiableSortedSet(new TreeSet<>(drainingOsds));
    removed = Collections.unmodifiableSortedSet(new TreeSet<>(removed));
  }

  /** The move of the volume that is under way. */
  public Optional<VolumeMove> underWay(PartitionId volume) {
    return Optional.ofNullable(moves.get(volume)).filter(VolumeMove::underWay);
  }

  /** New volumes may be placed there, and others may move there. */
  public boolean takesVolumes(ManagerNode manager) {
    return manager.node().liveness() == Liveness.UP && !draining.contains(manager.id());
  }

  Placement with(PartitionId volume, VolumeMove move) {
    SortedMap<PartitionId, VolumeMove> next = new TreeMap<>(moves);
    next.put(volume, move);
    return new Placement(next, draining, removed, drainingOsds);
  }

  Placement without(PartitionId volume) {
    SortedMap<PartitionId, VolumeMove> next = new TreeMap<>(moves);
    next.remove(volume);
    return new Placement(next, draining, removed, drainingOsds);
  }

  /** The volume has another primary now. */
  Placement handedOver(PartitionId volume, ManagerId primary) {
    boolean arrived =
        Optional.ofNullable(moves.get(volume))
            .filter(each -> each.target().equals(primary))
            .isPresent();
    return arrived ? without(volume) : this;
  }

  Placement draining(ManagerId manager, boolean drained) {
    SortedSet<ManagerId> next = new TreeSet<>(draining);
    if (drained) {
      next.add(manager);
    } else {
      next.remove(manager);
    }
    return new Placement(moves, next, removed, drainingOsds);
  }

  /** The OSD does not come back. */
  Placement without(OsdId osd) {
    SortedSet<OsdId> next = new TreeSet<>(removed);
    next.add(osd);
    return new Placement(moves, draining, next, drainingOsds).draining(osd, false);
  }

  Placement draining(OsdId osd, boolean drained) {
    SortedSet<OsdId> next = new TreeSet<>(drainingOsds);
    if (drained) {
      next.add(osd);
    } else {
      next.remove(osd);
    }
    return new Placement(moves, draining, removed, next);
  }
}
