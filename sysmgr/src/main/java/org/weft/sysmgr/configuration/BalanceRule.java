package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Balances of BladeSets (P 6.8c): one of each at most is under way. Balances and rounds have as
 * numbers the versions of the table that say so first. A repeat changes nothing.
 */
final class BalanceRule {
  private static final int MIN_OSDS = 2;

  private BalanceRule() {}

  static Decision decide(Configuration state, Command.SetBalance command) {
    String bladeSet = command.bladeSet();
    if (!state.bladeSets().containsKey(bladeSet)) {
      return new Decision(state, BladeSetRule.absent(state, bladeSet).orElseThrow());
    }
    Optional<Balance> underWay =
        state.history().placement().balance(bladeSet).filter(Balance::isUnderWay);
    return switch (command.action()) {
      case START -> start(state, command, underWay);
      case PAUSE -> change(state, bladeSet, underWay, underWay.map(Balance::paused));
      case RESUME -> change(state, bladeSet, underWay, underWay.map(Balance::resumed));
      case STOP ->
          underWay.isEmpty()
              ? Decision.unchanged(state, new CommandResult.Done())
              : change(state, bladeSet, underWay, underWay.map(Balance::stopped));
    };
  }

  private static Decision start(
      Configuration state, Command.SetBalance command, Optional<Balance> underWay) {
    int band = command.bandPpm();
    if (band < Balance.MIN_BAND_PPM || band > Balance.MAX_BAND_PPM) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "the band of a balance is 0.0001 to 50 points, got %s".formatted(band / 10_000.0));
    }
    if (underWay.isPresent()) {
      return underWay.get().bandPpm() == band && underWay.get().state() == Balance.State.RUNNING
          ? Decision.unchanged(state, new CommandResult.Done())
          : Decision.refused(
              state,
              ErrorCode.EXISTS,
              "BladeSet %s is being balanced already; `weft balance --resume` lets it go on, `--stop` ends it"
                  .formatted(command.bladeSet()));
    }
    long osds =
        state.osds().values().stream()
            .filter(osd -> osd.bladeSet().equals(command.bladeSet()))
            .filter(osd -> !state.history().placement().drains().containsKey(osd.id()))
            .filter(osd -> !state.history().placement().removed().contains(osd.id()))
            .count();
    if (osds < MIN_OSDS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "BladeSet %s has %d OSDs that are neither drained nor removed, and there is nothing to balance; add OSDs first"
              .formatted(command.bladeSet(), osds));
    }
    return next(
        state,
        command.bladeSet(),
        Balance.started(state.tableVersion() + 1, band, command.nowMillis()));
  }

  private static Decision change(
      Configuration state, String bladeSet, Optional<Balance> before, Optional<Balance> after) {
    if (before.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "BladeSet %s is not being balanced; `weft balance` starts that".formatted(bladeSet));
    }
    return before.equals(after)
        ? Decision.unchanged(state, new CommandResult.Done())
        : next(state, bladeSet, after.orElseThrow());
  }

  static Decision decide(Configuration state, Command.PlanBalance command) {
    Optional<Balance> meant =
        state
            .history()
            .placement()
            .balance(command.bladeSet())
            .filter(each -> each.number() == command.number())
            .filter(each -> each.round() == command.afterRound())
            .filter(each -> each.state() == Balance.State.RUNNING);
    return meant.isEmpty()
        ? Decision.unchanged(state, new CommandResult.Done())
        : next(
            state, command.bladeSet(), meant.get().next(command.plan(), state.tableVersion() + 1));
  }

  private static Decision next(Configuration state, String bladeSet, Balance balance) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.placement(state.history().placement().with(bladeSet, balance));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
