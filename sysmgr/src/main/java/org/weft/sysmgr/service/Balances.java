package org.weft.sysmgr.service;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Environment;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.BalancePlan;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.BladeSetUsage;
import org.weft.sysmgr.liveness.HeartbeatTable;

/**
 * Carries out a leader's part of balances (P 6.8c). It waits until all volumes are through with a
 * round, and what they moved shows in what OSDs say of themselves. Then it measures and proposes
 * the next round. All else is the managers' work. What is to be done is in the configuration alone,
 * so the next leader goes on. Confined to the home executor.
 */
final class Balances {
  /** An OSD frees what was removed after a checkpoint, and says so in a later heartbeat. */
  static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final Logger LOG = LoggerFactory.getLogger(Balances.class);

  private final OneProposal proposal;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;

  /** Since when rounds are over, by their numbers. */
  private final Map<Long, Long> overSinceNanos = new TreeMap<>();

  Balances(
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      Environment environment) {
    this.proposal = new OneProposal(proposals, "the balance of a BladeSet");
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.environment = environment;
  }

  /** This member leads no more. */
  void stepBack() {
    proposal.stepBack();
    overSinceNanos.clear();
  }

  /** This member leads: proposes the next round of a balance, if one is over. */
  void tick() {
    if (!proposal.isUnderWay()) {
      Configuration state = configuration.current();
      state.history().placement().balances().forEach((name, each) -> look(state, name, each));
    }
  }

  private void look(Configuration state, String bladeSet, Balance balance) {
    boolean isOver =
        balance.state() == Balance.State.RUNNING
            && BladeSetUsage.isRoundOver(state, bladeSet, balance, heartbeats::report);
    if (!isOver) {
      overSinceNanos.remove(key(balance));
      return;
    }
    long nowNanos = environment.ticker().nowNanos();
    long sinceNanos = overSinceNanos.computeIfAbsent(key(balance), round -> nowNanos);
    long settleNanos = balance.round() == 0 ? 0 : SETTLE_NANOS;
    BladeSetUsage usage = BladeSetUsage.of(state, bladeSet, heartbeats::report);
    boolean isDue = nowNanos - sinceNanos >= settleNanos;
    if (isDue && usage.waits().isEmpty() && !proposal.isUnderWay()) {
      propose(
          new Command.PlanBalance(
              bladeSet,
              balance.number(),
              balance.round(),
              BalancePlan.of(usage.osds().values()),
              environment.clock().nowMillis()));
    }
  }

  private static long key(Balance balance) {
    return Math.max(balance.number(), balance.round());
  }

  private void propose(Command.PlanBalance command) {
    LOG.info(
        "the balance of BladeSet {}: the worst OSD is {} ppm from the mean after round {}",
        command.bladeSet(),
        command.plan().spreadPpm(),
        command.afterRound());
    proposal.propose(command);
  }
}
