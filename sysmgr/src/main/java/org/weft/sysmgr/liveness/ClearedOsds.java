package org.weft.sysmgr.liveness;

import java.util.Optional;
import java.util.function.Function;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Tells whether a drained OSD holds nothing any more (P 6.8). The managers of all volumes of its
 * BladeSet must say so of the drain that is under way. They must say it under the epochs that they
 * serve the volumes with.
 */
public final class ClearedOsds {
  private final Configuration configuration;
  private final Function<NodeKey, Optional<NodeReport>> reports;

  /**
   * @param reports the last heartbeats
   */
  public ClearedOsds(Configuration configuration, Function<NodeKey, Optional<NodeReport>> reports) {
    this.configuration = configuration;
    this.reports = reports;
  }

  /** False while the manager of a volume has not said so. */
  public boolean isCleared(OsdId id) {
    OsdNode osd = configuration.osds().get(id);
    return osd != null
        && configuration.history().placement().drainingOsds().contains(id)
        && configuration.volumes().values().stream()
            .filter(volume -> volume.bladeSet().equals(osd.bladeSet()))
            .allMatch(volume -> isCleared(volume, id));
  }

  /** Number of the drain since which it holds nothing; {@link PlacementOrders#NO_DRAIN} if none. */
  public long clearedDrain(OsdId id) {
    return isCleared(id)
        ? configuration.history().placement().drainOf(id)
        : PlacementOrders.NO_DRAIN;
  }

  /** The manager of that volume has said so. */
  public boolean isCleared(Volume volume, OsdId osd) {
    Long drain = configuration.history().placement().drainOf(osd);
    return volume
        .owner()
        .flatMap(owner -> reports.apply(NodeKey.of(owner)))
        .flatMap(report -> report.of(volume))
        .filter(said -> drain.equals(said.clearedOsds().get(osd.value())))
        .isPresent();
  }
}
