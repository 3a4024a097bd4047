package org.weft.metadata.volume.operation.salvage;

import java.util.List;
import java.util.Objects;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.OsdId;

/**
 * A node that was found on OSDs, by a manager that has no journal (P 6.8e).
 *
 * @param node its newest attributes
 * @param stale OSDs whose copy of its metadata is older, or absent
 * @param leftover OSDs that have something of it and that its map does not name
 * @param toRebuild components that its map calls missing and that can be rebuilt
 * @param unsettled a writer may have left pending writes
 */
public record SalvagedNode(
    Attributes node,
    List<OsdId> stale,
    List<OsdId> leftover,
    List<Integer> toRebuild,
    boolean unsettled) {
  public SalvagedNode {
    Objects.requireNonNull(node, "node");
    stale = List.copyOf(stale);
    leftover = List.copyOf(leftover);
    toRebuild = List.copyOf(toRebuild);
  }

  /** The same with these copies out of date. */
  public SalvagedNode withStale(List<OsdId> now) {
    return new SalvagedNode(node, now, leftover, toRebuild, unsettled);
  }

  /** The node needs no record. */
  public boolean isWhole() {
    return stale.isEmpty() && leftover.isEmpty() && toRebuild.isEmpty();
  }
}
