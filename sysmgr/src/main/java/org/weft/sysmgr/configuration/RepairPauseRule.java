package org.weft.sysmgr.configuration;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.state.RepairPause;

/**
 * Rebuilds and drains pause, and go on (P 6.8). One pause at most is in force; a second one takes
 * its place and keeps its beginning. It lasts until an operator ends it or its time is over; the
 * leader says so, for a rule reads no clock. Decided by the state and the command alone, so that
 * every member and every replay decides alike.
 */
final class RepairPauseRule {
  private RepairPauseRule() {}

  static Decision decide(Configuration state, Command.PauseRepairs command) {
    long lastsMillis = command.forMillis();
    if (lastsMillis < RepairPause.MIN_MILLIS || lastsMillis > RepairPause.MAX_MILLIS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "rebuilds pause for 1 minute to 7 days, got %d s"
              .formatted(TimeUnit.MILLISECONDS.toSeconds(lastsMillis)));
    }
    if (command.reason().isBlank()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "a pause of rebuilds has a reason, which others are shown; say it with --reason");
    }
    PlacementOrders placement = state.history().placement();
    long sinceMillis =
        placement.repairPause().map(RepairPause::sinceMillis).orElse(command.nowMillis());
    return next(
        state,
        Optional.of(
            new RepairPause(
                command.reason(), command.user(), sinceMillis, command.nowMillis() + lastsMillis)));
  }

  static Decision decide(Configuration state, Command.ResumeRepairs command) {
    Optional<RepairPause> pause = state.history().placement().repairPause();
    boolean isMeant =
        pause.isPresent()
            && (command.endMillis() == Command.ResumeRepairs.ANY
                || command.endMillis() == pause.get().endMillis());
    return isMeant
        ? next(state, Optional.empty())
        : Decision.unchanged(state, new CommandResult.Done());
  }

  private static Decision next(Configuration state, Optional<RepairPause> pause) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.placement(state.history().placement().with(pause));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** Why nothing can be drained or rebuilt now; empty if it can. */
  static Optional<String> refusal(PlacementOrders placement, String what) {
    return placement
        .repairPause()
        .map(
            pause ->
                "%s, for rebuilds and drains are paused %s; wait until the pause is over, or end it (weft repair resume)"
                    .formatted(what, pause.words()));
  }
}
