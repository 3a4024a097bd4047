package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ErrorCode;

/**
 * An operator says that an OSD does not come back (P 6.8). It must be down: what is up is not given
 * up by a word, for it serves clients that hold maps with it. Its row stays, DOWN for ever, so that
 * managers see what is to be rebuilt, and that nobody joins in its place.
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
    Placement placement = state.history().placement();
    if (placement.removed().contains(command.osd())) {
      return Decision.unchanged(state, new Answer.Done());
    }
    if (osd.node().liveness() != Liveness.DOWN) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s is %s, and only an OSD that is down can be removed: stop its process first, and wait until `weft status` shows that it is down"
              .formatted(command.osd(), osd.node().liveness().name()));
    }
    Draft draft = new Draft(state);
    draft.placement(placement.without(command.osd()));
    return new Decision(draft.freeze(), new Answer.Done());
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
