package org.weft.sysmgr.configuration.stored;

import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.PlanBalanceCommand;
import org.weft.protocol.wire.SetBalanceCommand;
import org.weft.protocol.wire.StoredBalance;
import org.weft.protocol.wire.StoredBalancePlan;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.BalancePlan;
import org.weft.sysmgr.configuration.command.Command;

/** Balances, as commands and snapshots keep them. */
final class BalanceCodec {
  private BalanceCodec() {}

  static StoredBalance stored(String bladeSet, Balance balance) {
    return StoredBalance.newBuilder()
        .setBladeSet(bladeSet)
        .setNumber(balance.number())
        .setState(
            switch (balance.state()) {
              case RUNNING -> 1;
              case PAUSED -> 2;
              case ENDED -> 3;
            })
        .setBandPpm(balance.bandPpm())
        .setRound(balance.round())
        .setRounds(balance.rounds())
        .setBestPpm(balance.bestPpm())
        .setIdleRounds(balance.idleRounds())
        .setPlan(stored(balance.plan()))
        .setSinceMillis(balance.sinceMillis())
        .setWords(balance.words())
        .build();
  }

  static SortedMap<String, Balance> balances(ConfigurationSnapshot stored) {
    SortedMap<String, Balance> balances = new TreeMap<>();
    for (StoredBalance each : stored.getBalancesList()) {
      balances.put(
          each.getBladeSet(),
          new Balance(
              each.getNumber(),
              switch (each.getState()) {
                case 1 -> Balance.State.RUNNING;
                case 2 -> Balance.State.PAUSED;
                case 3 -> Balance.State.ENDED;
                default ->
                    throw new IllegalArgumentException("no balance is in state " + each.getState());
              },
              each.getBandPpm(),
              each.getRound(),
              each.getRounds(),
              each.getBestPpm(),
              each.getIdleRounds(),
              plan(each.getPlan()),
              each.getSinceMillis(),
              each.getWords()));
    }
    return balances;
  }

  private static StoredBalancePlan stored(BalancePlan plan) {
    StoredBalancePlan.Builder stored =
        StoredBalancePlan.newBuilder().setSpreadPpm(plan.spreadPpm());
    plan.leavePpm().forEach((osd, ppm) -> stored.addLeavingOsds(osd.value()).addLeavePpm(ppm));
    plan.comingBytes()
        .forEach((osd, bytes) -> stored.addComingOsds(osd.value()).addComingBytes(bytes));
    return stored.build();
  }

  private static BalancePlan plan(StoredBalancePlan stored) {
    if (stored.getLeavingOsdsCount() != stored.getLeavePpmCount()
        || stored.getComingOsdsCount() != stored.getComingBytesCount()) {
      throw new IllegalArgumentException("the plan of a balance has OSDs without figures");
    }
    SortedMap<OsdId, Integer> leave = new TreeMap<>();
    for (int each = 0; each < stored.getLeavingOsdsCount(); each++) {
      leave.put(new OsdId(stored.getLeavingOsds(each)), stored.getLeavePpm(each));
    }
    SortedMap<OsdId, Long> coming = new TreeMap<>();
    for (int each = 0; each < stored.getComingOsdsCount(); each++) {
      coming.put(new OsdId(stored.getComingOsds(each)), stored.getComingBytes(each));
    }
    return new BalancePlan(stored.getSpreadPpm(), leave, coming);
  }

  static SetBalanceCommand stored(Command.SetBalance command) {
    return SetBalanceCommand.newBuilder()
        .setBladeSet(command.bladeSet())
        .setAction(
            switch (command.action()) {
              case START -> 1;
              case PAUSE -> 2;
              case RESUME -> 3;
              case STOP -> 4;
            })
        .setBandPpm(command.bandPpm())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(SetBalanceCommand stored) {
    return new Command.SetBalance(
        stored.getBladeSet(),
        switch (stored.getAction()) {
          case 1 -> Balance.Action.START;
          case 2 -> Balance.Action.PAUSE;
          case 3 -> Balance.Action.RESUME;
          case 4 -> Balance.Action.STOP;
          default ->
              throw new IllegalArgumentException(
                  "nothing is done to a balance by " + stored.getAction());
        },
        stored.getBandPpm(),
        stored.getNowMillis());
  }

  static PlanBalanceCommand stored(Command.PlanBalance command) {
    return PlanBalanceCommand.newBuilder()
        .setBladeSet(command.bladeSet())
        .setNumber(command.number())
        .setAfterRound(command.afterRound())
        .setPlan(stored(command.plan()))
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(PlanBalanceCommand stored) {
    return new Command.PlanBalance(
        stored.getBladeSet(),
        stored.getNumber(),
        stored.getAfterRound(),
        plan(stored.getPlan()),
        stored.getNowMillis());
  }
}
