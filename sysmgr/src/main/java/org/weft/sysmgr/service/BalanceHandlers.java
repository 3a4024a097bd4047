package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.BalanceOsd;
import org.weft.protocol.wire.BalanceProgress;
import org.weft.protocol.wire.BalanceRequest;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.BalanceState;
import org.weft.protocol.wire.GetBalanceReply;
import org.weft.protocol.wire.GetBalanceRequest;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.BalancePlan;
import org.weft.sysmgr.balance.OsdUsage;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.BladeSetUsage;
import org.weft.sysmgr.liveness.HeartbeatTable;

/** BALANCE and GET_BALANCE, which people ask for. A repeat changes nothing. */
final class BalanceHandlers {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;
  private final Administrators authority;

  BalanceHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.environment = environment;
    this.authority = new Administrators(configuration);
  }

  /** Answered when the wish is recorded. */
  CompletionStage<? extends MessageLite> change(InboundRequest request) throws WeftException {
    leadership.require();
    BalanceRequest wanted = request.parse(BalanceRequest.parser());
    authority.require("balance OSDs", wanted.getUser(), wanted.getGroupsList());
    Balance.Action action =
        switch (wanted.getAction()) {
          case BALANCE_START -> Balance.Action.START;
          case BALANCE_PAUSE -> Balance.Action.PAUSE;
          case BALANCE_RESUME -> Balance.Action.RESUME;
          case BALANCE_STOP -> Balance.Action.STOP;
          case BALANCE_ACTION_UNSPECIFIED, UNRECOGNIZED ->
              throw new WeftException(
                  ErrorCode.INVALID_ARGUMENT,
                  "a balance is started, paused, resumed or stopped; got " + wanted.getAction());
        };
    return proposals.record(
        new Command.SetBalance(
            wanted.getBladeSet(), action, wanted.getBandPpm(), environment.clock().nowMillis()),
        wanted.getUser());
  }

  /** Nothing changes by it. */
  CompletionStage<? extends MessageLite> show(InboundRequest request) throws WeftException {
    leadership.require();
    GetBalanceRequest wanted = request.parse(GetBalanceRequest.parser());
    Configuration state = configuration.current();
    String bladeSet = wanted.getBladeSet();
    if (!state.bladeSets().containsKey(bladeSet)) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "there is no BladeSet %s; there are %s".formatted(bladeSet, state.bladeSets()));
    }
    Optional<Balance> balance = state.history().placement().balance(bladeSet);
    BladeSetUsage usage = BladeSetUsage.of(state, bladeSet, heartbeats::report);
    BalancePlan plan = BalancePlan.of(usage.osds().values());
    double mean = BalancePlan.mean(usage.osds().values());
    int band =
        wanted.getBandPpm() != 0
            ? wanted.getBandPpm()
            : balance.map(Balance::bandPpm).orElse(Balance.DEFAULT_BAND_PPM);
    GetBalanceReply.Builder reply =
        GetBalanceReply.newBuilder()
            .setMeanPpm(BalancePlan.ppm(mean))
            .setSpreadPpm(plan.spreadPpm())
            .setBandPpm(band)
            .addAllWaits(usage.waits());
    balance.ifPresent(each -> reply.setBalance(row(bladeSet, each)));
    boolean moves = plan.spreadPpm() > band;
    double objectBytes = objectBytes(usage.osds().values());
    usage.osds().values().forEach(osd -> reply.addOsds(osd(osd, plan, mean, moves, objectBytes)));
    usage
        .apart()
        .forEach(
            (osd, why) ->
                reply.addOsds(BalanceOsd.newBuilder().setOsdId(osd.value()).setApart(why)));
    reply.setBytesToMove(reply.getOsdsList().stream().mapToLong(BalanceOsd::getLeaveBytes).sum());
    balance
        .filter(Balance::isUnderWay)
        .ifPresent(
            each -> add(BladeSetUsage.reports(state, bladeSet, each, heartbeats::report), reply));
    return CompletableFuture.completedFuture(reply.build());
  }

  private static void add(List<BalanceProgress> said, GetBalanceReply.Builder reply) {
    reply
        .setBytesPerSecond(said.stream().mapToLong(BalanceProgress::getBytesPerSecond).sum())
        .setComponentsMoved(said.stream().mapToLong(BalanceProgress::getComponentsMoved).sum())
        .setBytesMoved(said.stream().mapToLong(BalanceProgress::getBytesMoved).sum())
        .setComponentsSkipped(said.stream().mapToLong(BalanceProgress::getComponentsSkipped).sum());
    said.stream()
        .map(BalanceProgress::getWaits)
        .filter(words -> !words.isEmpty())
        .distinct()
        .forEach(reply::addWaits);
  }

  /** On the mean, of all. */
  private static double objectBytes(Collection<OsdUsage> osds) {
    long objects = osds.stream().mapToLong(OsdUsage::objects).sum();
    long bytes = osds.stream().mapToLong(OsdUsage::usedBytes).sum();
    return objects == 0 || bytes == 0 ? 1 : (double) bytes / objects;
  }

  private static BalanceOsd osd(
      OsdUsage osd, BalancePlan plan, double mean, boolean moves, double objectBytes) {
    OsdId id = osd.osd();
    long target = BalancePlan.targetBytes(osd, mean);
    long leave = moves ? Math.max(0, osd.usedBytes() - target) : 0;
    long come = moves ? Math.max(0, target - osd.usedBytes()) : 0;
    return BalanceOsd.newBuilder()
        .setOsdId(id.value())
        .setUsedBytes(osd.usedBytes())
        .setCapacityBytes(osd.capacityBytes())
        .setSharePpm(BalancePlan.ppm((double) osd.usedBytes() / osd.capacityBytes()))
        .setTargetBytes(target)
        .setLeaveBytes(leave)
        .setComeBytes(come)
        .setComeComponents(Math.round(come / objectBytes))
        .setLeaveComponents(
            moves
                ? Math.round(
                    (double) osd.objects()
                        * plan.leavePpm().getOrDefault(id, 0)
                        / BalancePlan.WHOLE_PPM)
                : 0)
        .build();
  }

  static BalanceRow row(String bladeSet, Balance balance) {
    return BalanceRow.newBuilder()
        .setBladeSet(bladeSet)
        .setNumber(balance.number())
        .setState(
            switch (balance.state()) {
              case RUNNING -> BalanceState.BALANCE_RUNNING;
              case PAUSED -> BalanceState.BALANCE_PAUSED;
              case ENDED -> BalanceState.BALANCE_ENDED;
            })
        .setRound(balance.round())
        .setRounds(balance.rounds())
        .setBandPpm(balance.bandPpm())
        .setSpreadPpm(balance.plan().spreadPpm())
        .setSinceMillis(balance.sinceMillis())
        .setWords(balance.words())
        .build();
  }
}
