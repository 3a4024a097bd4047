package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;

/**
 * Records that what an OSD holds is to go to others while it still serves (P 6.8). Or an operator
 * says that it is to stay after all. That lasts until the OSD is removed. Each drain has as its
 * number the version of the table that says so first. So what was found of one drain is not taken
 * for true of a later one. Decided by the state and the command alone, so that every member and
 * every replay decides alike.
 */
final class DrainOsdRule {
  /** A directory is on two OSDs at least, or every create fails. */
  private static final int MIN_TARGETS = 2;

  private DrainOsdRule() {}

  static Decision decide(Configuration state, Command.DrainOsd command) {
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no osd-%s; `weft status` shows them".formatted(command.osd()));
    }
    PlacementOrders placement = state.history().placement();
    if (placement.removed().contains(command.osd())) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s was removed from the cluster, and what it held is rebuilt on others already"
              .formatted(command.osd()));
    }
    if (placement.drainingOsds().contains(command.osd()) == command.draining()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Optional<String> refusal =
        command.draining()
            ? RepairPauseRule.refusal(placement, "osd-%s cannot be drained now".formatted(osd.id()))
                .or(() -> refusal(state, placement, osd))
            : Optional.empty();
    if (refusal.isPresent()) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, refusal.get());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.placement(
        command.draining()
            ? placement.drained(command.osd(), state.tableVersion() + 1)
            : placement.undrained(command.osd()));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** Why an OSD cannot be drained beside those that are; empty if it can. */
  static Optional<String> refusal(Configuration state, PlacementOrders placement, OsdNode osd) {
    int targets = targets(state, placement, osd).size();
    return targets >= MIN_TARGETS
        ? Optional.empty()
        : Optional.of(
            "osd-%s cannot be drained: of the other OSDs of BladeSet %s %d are up and not drained, and directories need %d; start or add OSDs first, or use one again that is drained (weft osd drain --undo)"
                .formatted(osd.id(), osd.bladeSet(), targets, MIN_TARGETS));
  }

  /** Others that take what is new, and what the OSD holds. */
  private static List<OsdId> targets(Configuration state, PlacementOrders placement, OsdNode osd) {
    return state.osds().values().stream()
        .filter(each -> !each.id().equals(osd.id()) && each.bladeSet().equals(osd.bladeSet()))
        .filter(each -> each.node().liveness() == Liveness.UP && !each.isGivenUp())
        .map(OsdNode::id)
        .filter(each -> !placement.drains().containsKey(each))
        .toList();
  }
}
