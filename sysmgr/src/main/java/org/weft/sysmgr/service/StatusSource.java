package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.RemovedManagerRow;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.RemovedManager;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.ClearedOsds;
import org.weft.sysmgr.liveness.HeardGateways;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.UnusableOsds;
import org.weft.sysmgr.status.DrainWaits;
import org.weft.sysmgr.status.Finding;
import org.weft.sysmgr.status.StatusRules;
import org.weft.sysmgr.status.StatusView;

/** Puts the status together. Confined to the home executor. */
final class StatusSource {
  /** A majority that is there answers in a few milliseconds. */
  private static final long CONFIRMATION_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int LAST_EVENTS = 20;

  private final ReplicatedLog log;
  private final Proposals proposals;
  private final Executor home;
  private final Leadership leadership;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final HeardNodes heard;
  private final UnusableOsds unusable;
  private final Environment environment;
  private final ServicePlace place;
  private final ConfigurationCopies copies;
  private final HeardGateways<NfsGatewayRow> gateways;

  StatusSource(
      ReplicatedLog log,
      Proposals proposals,
      Executor home,
      Leadership leadership,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      HeardNodes heard,
      UnusableOsds unusable,
      Environment environment,
      ServicePlace place,
      ConfigurationCopies copies,
      HeardGateways<NfsGatewayRow> gateways) {
    this.gateways = gateways;
    this.copies = copies;
    this.log = log;
    this.proposals = proposals;
    this.home = home;
    this.leadership = leadership;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.heard = heard;
    this.unusable = unusable;
    this.environment = environment;
    this.place = place;
  }

  /**
   * The leader answers, once a majority has confirmed that it is; another member names it. Where no
   * leader is known, or a leader hears no majority, what this member knew last is better than
   * nothing, and says so.
   */
  CompletionStage<ClusterStatus> status() throws WeftException {
    if (!leadership.leading()) {
      return CompletableFuture.completedFuture(status(false));
    }
    CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    var unused =
        proposals.barrier().whenComplete((done, failure) -> confirmed.complete(failure == null));
    environment
        .scheduler()
        .schedule(CONFIRMATION_NANOS, Runnable::run, () -> confirmed.complete(false));
    return confirmed.thenApplyAsync(
        isLeader -> {
          try {
            return status(isLeader && leadership.leading());
          } catch (WeftException e) {
            throw new CompletionException(e);
          }
        },
        home);
  }

  private ClusterStatus status(boolean leads) throws WeftException {
    if (!leadership.leading() && (log.isLeader() || log.leader().isPresent())) {
      leadership.require();
    }
    StatusView view = view(leads);
    return message(view);
  }

  /** What a person should know now, as the leader sees it. */
  List<Finding> findings() {
    return StatusRules.findings(view(true));
  }

  private StatusView view(boolean leads) {
    Configuration state = configuration.current();
    SortedMap<NodeKey, NodeReport> reports = new TreeMap<>();
    for (NodeKey key : state.nodes().keySet()) {
      heartbeats.report(key).ifPresent(report -> reports.put(key, report));
    }
    SortedMap<NodeKey, Long> silent = new TreeMap<>();
    long nowNanos = environment.ticker().nowNanos();
    for (NodeKey key : state.nodes().keySet()) {
      heartbeats
          .silentNanos(key, nowNanos)
          .ifPresent(nanos -> silent.put(key, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
    return new StatusView(
        state,
        reports,
        environment.clock().nowMillis(),
        leads,
        place.members().get(),
        unusable.complaints(state, heartbeats),
        silent,
        heard.clocks().aheadMillis(),
        log.progress());
  }

  private ClusterStatus message(StatusView view) {
    Configuration state = view.configuration();
    EventLog events = configuration.events();
    ClusterStatus.Builder status =
        ClusterStatus.newBuilder()
            .setTable(WireCodec.table(state, heartbeats))
            .setDurability(StatusRules.durability(view))
            .setNowMillis(view.nowMillis())
            .setRestUrl(place.restUrl().get());
    view.reports().values().stream()
        .flatMap(report -> report.volumes().stream())
        .forEach(volume -> status.addVolumes(volume.health()));
    for (Finding finding : StatusRules.findings(view)) {
      status.addProblems(
          Problem.newBuilder()
              .setSeverity(finding.severity().word())
              .setWhat(finding.what())
              .setAdvice(finding.advice())
              .setName(finding.name())
              .setSubject(finding.subject())
              .setSinceMillis(
                  Optional.ofNullable(events.alerts().get(finding.key()))
                      .map(Event::millis)
                      .orElse(0L)));
    }
    ClearedOsds cleared = new ClearedOsds(state, view::report);
    for (OsdId osd : state.history().placement().drainingOsds()) {
      if (cleared.isCleared(osd)) {
        status.addDrainedOsd(osd.value());
      }
    }
    DrainWaits.of(view).forEach(wait -> status.addDrainWaits(wait.toMessage()));
    state
        .history()
        .placement()
        .removedManagers()
        .forEach((id, each) -> status.addRemovedManagers(removed(id, each)));
    state.history().ended().forEach(each -> status.addOperations(WireCodec.operation(each)));
    List<Event> last = events.events();
    last.subList(Math.max(0, last.size() - LAST_EVENTS), last.size())
        .forEach(event -> status.addLastEvents(event.toMessage()));
    status.setConfigurationCopies(copies.upToDate());
    status.addAllNfsExports(NfsRows.table(state.nfs()).getExportsList());
    for (NfsGatewayRow gateway : NfsRows.gateways(gateways, environment.ticker().nowNanos())) {
      status.addNfsGateways(gateway.toBuilder().clearClients());
    }
    status.addAllSysmgrMembers(MemberRows.of(log, state.sysmgr()));
    leaderFirst().forEach(member -> status.addSysmgrs(member.toMessage()));
    return status.build();
  }

  private static RemovedManagerRow removed(ManagerId id, RemovedManager manager) {
    return RemovedManagerRow.newBuilder()
        .setManagerId(id.value())
        .setHost(manager.host())
        .setRemovedMillis(manager.sinceMillis())
        .build();
  }

  private List<Endpoint> leaderFirst() {
    Optional<Endpoint> leader = log.leader();
    List<Endpoint> members = new ArrayList<>(place.members().get());
    if (leader.isPresent() && members.remove(leader.get())) {
      members.add(0, leader.get());
    }
    return members;
  }
}
