package org.weft.sysmgr.configuration.node;

import java.util.Optional;
import org.weft.protocol.id.OsdId;

/**
 * An OSD of the cluster.
 *
 * @param capacityBytes as told at its last join
 * @param uncleanMillis wall time of its last join after an unclean stop with a reboot. 0: there was
 *     none, or managers have compared its objects with the maps since (P 5.9)
 * @param unusable why it is given up, or about to be, although it is heard
 * @param rack fault domain above its host, as told at its last join; empty: none was
 */
public record OsdNode(
    OsdId id,
    Node node,
    String bladeSet,
    long capacityBytes,
    long uncleanMillis,
    Quarantine quarantine,
    Optional<Unusable> unusable,
    String rack) {
  /** Of no known rack. */
  public OsdNode(
      OsdId id,
      Node node,
      String bladeSet,
      long capacityBytes,
      long uncleanMillis,
      Quarantine quarantine,
      Optional<Unusable> unusable) {
    this(id, node, bladeSet, capacityBytes, uncleanMillis, quarantine, unusable, "");
  }

  /** In another BladeSet. */
  public OsdNode in(String other) {
    return new OsdNode(id, node, other, capacityBytes, uncleanMillis, quarantine, unusable, rack);
  }

  /** After a change of what it has in common with a manager. */
  public OsdNode with(Node changed) {
    return new OsdNode(
        id, changed, bladeSet, capacityBytes, uncleanMillis, quarantine, unusable, rack);
  }

  /** After a change of its quarantine. */
  public OsdNode with(Quarantine changed) {
    return new OsdNode(id, node, bladeSet, capacityBytes, uncleanMillis, changed, unusable, rack);
  }

  /** Managers cannot use it, or can again. */
  public OsdNode with(Optional<Unusable> changed) {
    return new OsdNode(id, node, bladeSet, capacityBytes, uncleanMillis, quarantine, changed, rack);
  }

  /** Its quarantine is over. */
  public OsdNode readmitted() {
    return new OsdNode(id, node, bladeSet, capacityBytes, 0, quarantine.ended(), unusable, rack);
  }

  /** A quarantine begins when it is back; it is told of that one already. */
  public boolean isGivenUp() {
    return node.liveness() == Liveness.DOWN || unusable.isPresent();
  }

  /** The quarantine that the OSD is told of. */
  public long toldQuarantine() {
    return quarantine.number() + (isGivenUp() ? 1 : 0);
  }
}
