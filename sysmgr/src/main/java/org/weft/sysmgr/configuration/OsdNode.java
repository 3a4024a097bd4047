package org.weft.sysmgr.configuration;

import org.weft.protocol.id.OsdId;

/**
 * An OSD of the cluster.
 *
 * @param capacityBytes as told at its last join
 * @param uncleanMillis wall time of its last join after an unclean stop with a reboot; 0: none. It
 *     stays: nobody has compared its objects with the maps since (P 5.9)
 */
public record OsdNode(
    OsdId id, Node node, String bladeSet, long capacityBytes, long uncleanMillis) {
  OsdNode with(Node changed) {
    return new OsdNode(id, changed, bladeSet, capacityBytes, uncleanMillis);
  }
}
