package org.weft.sysmgr.configuration;

import org.weft.protocol.id.OsdId;

/**
 * An OSD of the cluster.
 *
 * @param capacityBytes as told at its last join
 * @param uncleanMillis wall time of its last join after an unclean stop with a reboot; 0: none, or
 *     managers have compared its objects with the maps since (P 5.9)
 */
public record OsdNode(
    OsdId id,
    Node node,
    String bladeSet,
    long capacityBytes,
    long uncleanMillis,
    Quarantine quarantine) {
  OsdNode with(Node changed) {
    return new OsdNode(id, changed, bladeSet, capacityBytes, uncleanMillis, quarantine);
  }

  OsdNode with(Quarantine changed) {
    return new OsdNode(id, node, bladeSet, capacityBytes, uncleanMillis, changed);
  }

  /** Its quarantine is over. */
  OsdNode readmitted() {
    return new OsdNode(id, node, bladeSet, capacityBytes, 0, quarantine.ended());
  }
}
