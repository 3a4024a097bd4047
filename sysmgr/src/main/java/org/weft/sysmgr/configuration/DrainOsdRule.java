package org.weft.sysmgr.configuration;

import org.weft.protocol.rpc.ErrorCode;

/**
 * An operator says that what an OSD holds is to go to others while it serves on (P 6.8), or that it
 * is to stay after all. That lasts until the OSD is removed. Decided by the state and the command
 * alone, so that every member and every replay decides alike.
 */
final class DrainOsdRule {
  private DrainOsdRule() {}

  static Decision decide(Configuration state, Command.DrainOsd command) {
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no osd-%s; `weft status` shows them".formatted(command.osd()));
    }
    Placement placement = state.history().placement();
    if (placement.removed().contains(command.osd())) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s was removed from the cluster, and what it held is rebuilt on others already"
              .formatted(command.osd()));
    }
    if (placement.drainingOsds().contains(command.osd()) == command.draining()) {
      return Decision.unchanged(state, new Answer.Done());
    }
    if (command.draining() && isLastTarget(state, osd)) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s cannot be drained: no other OSD of BladeSet %s is there and not drained itself; add one first"
              .formatted(command.osd(), osd.bladeSet()));
    }
    Draft draft = new Draft(state);
    draft.placement(placement.draining(command.osd(), command.draining()));
    return new Decision(draft.freeze(), new Answer.Done());
  }

  private static boolean isLastTarget(Configuration state, OsdNode osd) {
    Placement placement = state.history().placement();
    return state.osds().values().stream()
        .filter(each -> !each.id().equals(osd.id()) && each.bladeSet().equals(osd.bladeSet()))
        .filter(each -> !placement.removed().contains(each.id()))
        .allMatch(each -> placement.drainingOsds().contains(each.id()));
  }
}
