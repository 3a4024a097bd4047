package org.weft.sysmgr.service;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.liveness.ClearedOsds;
import org.weft.sysmgr.liveness.HeartbeatTable;

/**
 * Carries out a leader's part of growing BladeSets (P 4.5). An OSD that is to come goes over when
 * the managers of all volumes of its BladeSet say that nothing is on it. What is to be done is in
 * the configuration alone, so the next leader goes on. Confined to the home executor.
 */
final class Growths {
  private static final Logger LOG = LoggerFactory.getLogger(Growths.class);

  private final OneProposal proposal;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;

  Growths(Proposals proposals, ReplicatedConfiguration configuration, HeartbeatTable heartbeats) {
    this.proposal = new OneProposal(proposals, "the growth of a BladeSet");
    this.configuration = configuration;
    this.heartbeats = heartbeats;
  }

  /** This member leads no more. */
  void stepBack() {
    proposal.stepBack();
  }

  /** This member leads: proposes the next step, if there is one. */
  void tick() {
    if (!proposal.isUnderWay()) {
      next(configuration.current()).ifPresent(this::propose);
    }
  }

  private Optional<BladeSetChange.Arrive> next(Configuration state) {
    ClearedOsds cleared = new ClearedOsds(state, heartbeats::report);
    for (BladeSet set : state.bladeSets().values()) {
      for (OsdId id : set.coming()) {
        OsdNode osd = state.osds().get(id);
        long drain = cleared.clearedDrain(id);
        boolean isUp =
            osd.node().liveness() == Liveness.UP && !osd.isGivenUp() && !osd.quarantine().active();
        if (isUp && drain != PlacementOrders.NO_DRAIN && isEmpty(id)) {
          return Optional.of(new BladeSetChange.Arrive(set.name(), id, drain));
        }
      }
    }
    return Optional.empty();
  }

  /** What managers have moved away they remove from it as well, for it may come back by a merge. */
  private boolean isEmpty(OsdId id) {
    return heartbeats.report(NodeKey.of(id)).filter(said -> said.objects() == 0).isPresent();
  }

  private void propose(BladeSetChange.Arrive arrival) {
    LOG.info("osd-{} comes into BladeSet {}", arrival.osd(), arrival.name());
    proposal.propose(new Command.ChangeBladeSet(arrival));
  }
}
