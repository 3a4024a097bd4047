package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.WantedHandOver;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.ManagerLeases;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.OsdAccess;
import org.weft.sysmgr.liveness.OsdLook;
import org.weft.sysmgr.liveness.VolumeReport;
import org.weft.sysmgr.liveness.WantedHandOvers;
import org.weft.sysmgr.service.intake.HealthLimits;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * Answers HEARTBEAT. A manager's reply renews its lease, so a majority confirms first that this
 * member still leads (P 6.2): a leader that was cut off renews nothing. A manager that believes in
 * an epoch which is not the newest gets a lease of 0. A node that leaves, and an OSD that says that
 * its store has failed, is DOWN, durably, before the reply. One that stood still gets an answer
 * that a majority confirmed (P 5.8).
 */
final class HeartbeatHandler implements RequestHandler {
  private static final int MAX_PROBLEMS = 16;
  private static final int MAX_VOLUMES = 1_000;
  private static final int MAX_OSDS = 10_000;

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final HeardNodes heard;
  private final ManagerLeases leases;
  private final ConfigurationCopies copies;
  private final Environment environment;

  HeartbeatHandler(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      HeardNodes heard,
      ManagerLeases leases,
      ConfigurationCopies copies,
      Environment environment) {
    this.copies = copies;
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.heard = heard;
    this.leases = leases;
    this.environment = environment;
  }

  @Override
  public CompletionStage<? extends MessageLite> answer(InboundRequest request)
      throws WeftException {
    HeartbeatRequest beat = request.parse(HeartbeatRequest.parser());
    NodeKey key = key(beat);
    Node node =
        configuration
            .current()
            .node(key)
            .orElseThrow(
                () ->
                    new WeftException(
                        ErrorCode.NOT_FOUND, key + " has not joined this cluster; join again"));
    requireLastStart(key, node, beat);
    if (beat.getIncarnation() != node.incarnation()) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          key
              + " has joined as incarnation "
              + Long.toUnsignedString(node.incarnation())
              + ", not as "
              + Long.toUnsignedString(beat.getIncarnation())
              + "; join again");
    }
    if (node.addresses().isEmpty()) {
      // Another node has announced these addresses since, perhaps by a request that came very late.
      // No process could reach this node, and all would wait for it.
      throw new WeftException(
          ErrorCode.NOT_FOUND, key + " has lost its addresses to another node; join again");
    }
    heartbeats.heard(
        key, node.incarnation(), report(beat), beat.getLeaving(), environment.ticker().nowNanos());
    hear(key, beat);
    CompletionStage<Void> settled = settled(key, node, beat);
    return switch (key.kind()) {
      case OSD ->
          settled
              .thenCompose(done -> confirmed(beat.getStoodStill()))
              .thenApply(done -> replyToOsd(beat));
      case MANAGER ->
          settled
              .thenCompose(done -> proposals.barrier())
              .thenApply(done -> replyToManager(key.managerId(), beat));
    };
  }

  /**
   * A process that runs on a copy, or of which a copy was let in, has to end (P 5.10). One that may
   * have joined at another leader since joins again, and the log decides.
   */
  private void requireLastStart(NodeKey key, Node node, HeartbeatRequest beat)
      throws WeftException {
    NodeHistory last = configuration.current().histories().getOrDefault(key, NodeHistory.NONE);
    if (beat.getStartId() != 0 && last.isKnown() && last.startId() != beat.getStartId()) {
      boolean older = Long.compareUnsigned(beat.getIncarnation(), node.incarnation()) < 0;
      throw new WeftException(
          older ? ErrorCode.FENCED : ErrorCode.NOT_FOUND,
          key
              + " has been started as another process since, on this data directory or on a copy of"
              + " it; this process must end");
    }
  }

  private void hear(NodeKey key, HeartbeatRequest beat) {
    heard
        .histories()
        .heard(
            key, new NodeHistory(beat.getStartId(), beat.getDurableCheckpoint(), beat.getChange()));
    heard
        .clocks()
        .heard(
            key, beat.getClockMillis(), beat.getRoundTripMillis(), environment.clock().nowMillis());
  }

  /** An OSD that stood still must not be let go on by a leader that was replaced meanwhile. */
  private CompletionStage<Void> confirmed(boolean stoodStill) {
    return stoodStill
        ? proposals.barrier().thenAccept(done -> {})
        : CompletableFuture.completedFuture(null);
  }

  private CompletionStage<Void> settled(NodeKey key, Node node, HeartbeatRequest beat) {
    String failure = ReportLimits.sentence(beat.getStoreFailure());
    boolean downAlready =
        node.liveness() == Liveness.DOWN && (failure.isEmpty() || node.storeFailed());
    if (beat.getLeaving() || !failure.isEmpty() && !downAlready) {
      return leadership.down(key, node.incarnation(), beat.getLeaving(), failure);
    }
    return CompletableFuture.completedFuture(null);
  }

  private static NodeKey key(HeartbeatRequest beat) throws WeftException {
    boolean osd = beat.getOsdId() != 0;
    if (osd == (beat.getManagerId() != 0)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "a heartbeat names either an OSD or a manager");
    }
    return osd
        ? new NodeKey(NodeKey.Kind.OSD, beat.getOsdId())
        : new NodeKey(NodeKey.Kind.MANAGER, beat.getManagerId());
  }

  private HeartbeatReply replyToOsd(HeartbeatRequest beat) {
    Configuration state = configuration.current();
    HeartbeatReply.Builder reply =
        HeartbeatReply.newBuilder()
            .setTableVersion(state.tableVersion())
            .setClockMillis(environment.clock().nowMillis())
            .setPartitionsVersion(state.partitionsVersion())
            .addAllSysmgrs(WireCodec.sysmgrs(state));
    OsdNode osd = state.osds().get(new OsdId(beat.getOsdId()));
    if (osd != null) {
      reply
          .setQuarantine(WireCodec.quarantine(osd))
          .setQuarantined(WireCodec.isQuarantined(osd))
          .addAllOpenVolumes(WireCodec.openVolumes(state, osd));
    }
    reply.setConfigurationCopy(
        copies.forOsd(state, new OsdId(beat.getOsdId()), beat.getCopyVersion()));
    if (Long.compareUnsigned(beat.getPartitionsVersion(), state.partitionsVersion()) < 0) {
      reply
          .addAllPartitions(WireCodec.partitions(state))
          .setLastPartitionId(state.history().lastVolumeId());
    }
    return reply.build();
  }

  private HeartbeatReply replyToManager(ManagerId manager, HeartbeatRequest beat) {
    Configuration state = configuration.current();
    HeartbeatReply.Builder reply =
        HeartbeatReply.newBuilder()
            .setClockMillis(environment.clock().nowMillis())
            .setTableVersion(state.tableVersion())
            .setPartitionsVersion(state.partitionsVersion())
            .setLeaseMillis(renews(state, manager, beat) ? ManagerLeases.LEASE_MILLIS : 0)
            .setLookAtOsds(leadership.wanted().isToLook(manager))
            .addAllCutOffManagers(
                leadership.wanted().cutOff().stream().map(ManagerId::value).toList());
    for (WantedHandOvers.Wanted each : leadership.wanted().of(manager)) {
      reply.addHandOvers(
          WantedHandOver.newBuilder()
              .setVolumeId(each.volume().value())
              .setEpoch(each.epoch())
              .setBackupId(each.backup().value())
              .setWhy(each.why()));
    }
    return reply.build();
  }

  /** Looks again what the configuration says, for another start may have joined meanwhile. */
  private boolean renews(Configuration state, ManagerId manager, HeartbeatRequest beat) {
    if (beat.getLeaving()) {
      leases.left(manager, beat.getIncarnation());
      return false;
    }
    ManagerNode node = state.managers().get(manager);
    return node != null
        && node.node().incarnation() == beat.getIncarnation()
        && beat.getVolumesList().stream().allMatch(health -> isCurrent(state, manager, health))
        && leases.renew(
            manager,
            beat.getIncarnation(),
            beat.getVolumesCount() > 0,
            environment.ticker().nowNanos());
  }

  private static boolean isCurrent(Configuration state, ManagerId manager, VolumeHealth health) {
    Volume volume = state.volumes().get(new PartitionId(health.getVolumeId()));
    return volume != null
        && volume.owner().equals(Optional.of(manager))
        && volume.epoch() == health.getEpoch();
  }

  private static NodeReport report(HeartbeatRequest beat) {
    List<String> problems =
        beat.getProblemsList().stream().limit(MAX_PROBLEMS).map(ReportLimits::sentence).toList();
    List<VolumeReport> volumes =
        beat.getVolumesList().stream()
            .limit(MAX_VOLUMES)
            .map(said -> new VolumeReport(HealthLimits.within(said)))
            .toList();
    SortedSet<PartitionId> open = new TreeSet<>();
    beat.getOpenVolumesList().stream()
        .limit(MAX_VOLUMES)
        .forEach(volume -> open.add(new PartitionId(volume)));
    return new NodeReport(
        beat.getPartitionsVersion(),
        beat.getCapacityBytes(),
        beat.getUsedBytes(),
        beat.getReserveBytes(),
        beat.getObjects(),
        beat.getDurableCheckpoint(),
        problems,
        ReportLimits.sentence(beat.getDurability()),
        beat.getQuarantine(),
        beat.getQuarantined(),
        open,
        volumes,
        ReportLimits.sentence(beat.getStoreFailure()),
        access(beat),
        beat.hasOsdLook() ? Optional.of(look(beat.getOsdLook())) : Optional.empty());
  }

  private static OsdLook look(org.weft.protocol.wire.OsdLook look) {
    SortedMap<OsdId, OsdLook.Unreached> unreached = new TreeMap<>();
    look.getUnreachedList().stream()
        .filter(each -> each.getOsdId() != 0)
        .limit(MAX_OSDS)
        .forEach(
            each ->
                unreached.put(
                    new OsdId(each.getOsdId()),
                    new OsdLook.Unreached(
                        each.getIncarnation(),
                        TimeUnit.MILLISECONDS.toNanos(each.getLastedMillis()))));
    Optional<Long> ageNanos =
        look.hasAgeMillis()
            ? Optional.of(TimeUnit.MILLISECONDS.toNanos(look.getAgeMillis()))
            : Optional.empty();
    return new OsdLook(look.getUnderWay(), unreached, ageNanos);
  }

  private static List<OsdAccess> access(HeartbeatRequest beat) {
    return beat.getOsdAccessList().stream()
        .filter(each -> each.getOsdId() != 0)
        .limit(MAX_OSDS)
        .map(
            each ->
                new OsdAccess(
                    new OsdId(each.getOsdId()),
                    each.getIncarnation(),
                    each.getUsable(),
                    TimeUnit.MILLISECONDS.toNanos(each.getLastedMillis()),
                    ReportLimits.sentence(each.getWaits()),
                    ReportLimits.sentence(each.getProblem())))
        .toList();
  }
}
