package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;

/**
 * Removes an OSD of which an operator says that it does not come back (P 6.8). It must be down:
 * what is up is not given up by a word, for it serves clients that hold maps with it. All others of
 * its BladeSet must be up, unless the command says force. Managers rebuild at once. They would give
 * up files with more components on absent OSDs than the code bears, although those OSDs may come
 * back. Of one that was drained and holds nothing any more no file needs anything. Its row stays,
 * DOWN for ever, so that managers see what is to be rebuilt, and that no other OSD joins in its
 * place. Decided by the state and the command alone, so that every member and every replay decides
 * alike.
 */
final class RemoveOsdRule {
  private RemoveOsdRule() {}

  static Decision decide(Configuration state, Command.RemoveOsd command) {
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no osd-%s; `weft status` shows them".formatted(command.osd()));
    }
    PlacementOrders placement = state.history().placement();
    if (placement.removed().contains(command.osd())) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (osd.node().liveness() != Liveness.DOWN) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s is %s, and only an OSD that is down can be removed: stop its process first, and wait until `weft status` shows that it is down"
              .formatted(command.osd(), osd.node().liveness().name()));
    }
    List<OsdNode> away = away(state, osd);
    boolean isEmpty =
        command.clearedDrain() != PlacementOrders.NO_DRAIN
            && command.clearedDrain() == placement.drainOf(command.osd());
    Optional<String> paused =
        RepairPauseRule.refusal(
            placement, "osd-%s is not removed now, and nothing rebuilt".formatted(osd.id()));
    if (paused.isPresent() && !isEmpty) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, paused.get());
    }
    if (!away.isEmpty() && !command.force() && !isEmpty) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, refusal(osd, away));
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.placement(placement.without(command.osd()));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** Others of the BladeSet that clients cannot use now, and that may come back; ascending. */
  private static List<OsdNode> away(Configuration state, OsdNode osd) {
    return state.osds().values().stream()
        .filter(each -> !each.id().equals(osd.id()) && each.bladeSet().equals(osd.bladeSet()))
        .filter(each -> !state.history().placement().removed().contains(each.id()))
        .filter(each -> each.node().liveness() != Liveness.UP || each.isGivenUp())
        .toList();
  }

  private static String refusal(OsdNode osd, List<OsdNode> away) {
    String named =
        away.stream()
            .map(each -> "osd-%s is %s".formatted(each.id(), state(each)))
            .collect(Collectors.joining(", "));
    return "osd-%s cannot be removed while other OSDs of BladeSet %s are not up, for files may need what these hold and would be lost for good: %s; start them first, and wait until `weft status` shows that they are up, or remove it with --force"
        .formatted(osd.id(), osd.bladeSet(), named);
  }

  private static String state(OsdNode osd) {
    Liveness liveness = osd.node().liveness();
    return liveness == Liveness.UP ? "UP, but cannot be used" : liveness.name();
  }

  /** Why an OSD may not join; empty if it was not removed. */
  static Optional<String> refusal(Configuration state, OsdId osd) {
    return state.history().placement().removed().contains(osd)
        ? Optional.of(
            "osd-%s was removed from the cluster, and what it held is on others; give the OSD an empty data directory, then it joins as a new one"
                .formatted(osd))
        : Optional.empty();
  }
}
