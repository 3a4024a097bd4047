package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * JOIN_OSD and JOIN_MANAGER. An OSD gets every partition's keys and fence epoch, as they are after
 * its join is durable. It stores them before it serves any client (P 5.8).
 *
 * <p>A process may run on a copy of a node's data directory while the node itself is heard. It has
 * to wait until the node is silent (P 5.10). The node may have acknowledged what the copy lacks,
 * and the newcomer has promised nothing yet. A process need not wait if it holds the lock of the
 * folder in which all starts were that it remembers. The last start is one of them, or the process
 * is refused.
 */
final class JoinHandler implements RequestHandler {
  private static final int HEARTBEAT_MILLIS = 1_000;

  private final NodeKey.Kind kind;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final HeardNodes heard;
  private final Environment environment;

  JoinHandler(
      NodeKey.Kind kind,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      HeardNodes heard,
      Environment environment) {
    this.kind = kind;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.heard = heard;
    this.environment = environment;
  }

  @Override
  public CompletionStage<? extends MessageLite> answer(InboundRequest request)
      throws WeftException {
    JoinRequest join = request.parse(JoinRequest.parser());
    NodeHistory last = heard(join.getIdentity());
    StartProof proof = ReportLimits.proof(join.getProof());
    requireEnded(join, proof);
    Command.Join command =
        new Command.Join(
            kind,
            ReportLimits.identity(join.getIdentity()),
            ReportLimits.sentence(join.getClusterId()),
            join.getNodeId(),
            ReportLimits.addresses(join.getAddressesList()),
            ReportLimits.host(join.getHost()),
            join.getIncarnation(),
            join.getCapacityBytes(),
            join.getUnclean(),
            environment.clock().nowMillis(),
            ReportLimits.sentence(join.getStoreFailure()),
            proof,
            last,
            kind == NodeKey.Kind.OSD ? ReportLimits.rack(join.getRack()) : "",
            ReportLimits.sentence(join.getBladeSet()));
    return proposals.propose(command).thenApply(answer -> joined(command, answer));
  }

  private Optional<NodeKey> known(String identity) {
    return configuration.current().nodes().entrySet().stream()
        .filter(each -> each.getKey().kind() == kind)
        .filter(each -> each.getValue().identity().equals(identity))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private NodeHistory heard(String identity) {
    return known(identity).map(heard.histories()::of).orElse(NodeHistory.NONE);
  }

  private void requireEnded(JoinRequest join, StartProof proof) throws WeftException {
    NodeKey key = known(join.getIdentity()).orElse(null);
    if (key == null || proof.startId() == 0 || join.getProof().getTookOver()) {
      return;
    }
    NodeHistory stored = configuration.current().histories().getOrDefault(key, NodeHistory.NONE);
    boolean another = stored.isKnown() && stored.startId() != proof.startId();
    if (another && heartbeats.mayLive(key, environment.ticker().nowNanos())) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          key
              + " seems to run elsewhere, as another process on another data directory; this one may"
              + " run on a copy. It is let in when that one has been silent for "
              + TimeUnit.NANOSECONDS.toSeconds(HeartbeatTable.SUSPECT_NANOS)
              + " s; end the one that is not wanted");
    }
  }

  private JoinReply joined(Command.Join command, CommandResult answer) {
    int id = ((CommandResult.Joined) answer).nodeId();
    heartbeats.joined(
        new NodeKey(kind, id), command.incarnation(), environment.ticker().nowNanos());
    heard.histories().heard(new NodeKey(kind, id), command.proof().history());
    Configuration state = configuration.current();
    JoinReply.Builder reply =
        JoinReply.newBuilder()
            .setNodeId(id)
            .setClusterId(state.cluster().orElseThrow().id().value())
            .setHeartbeatMillis(HEARTBEAT_MILLIS)
            .setClockMillis(environment.clock().nowMillis())
            .setPartitionsVersion(state.partitionsVersion());
    if (kind == NodeKey.Kind.OSD) {
      reply
          .addAllPartitions(WireCodec.partitions(state))
          .setLastPartitionId(state.history().lastVolumeId());
      OsdNode osd = state.osds().get(new OsdId(id));
      reply
          .setDownMillis((int) TimeUnit.NANOSECONDS.toMillis(HeartbeatTable.DOWN_NANOS))
          .setQuarantine(WireCodec.quarantine(osd))
          .setQuarantined(WireCodec.isQuarantined(osd))
          .addAllOpenVolumes(WireCodec.openVolumes(state, osd))
          .addAllSysmgrs(WireCodec.sysmgrs(state));
    }
    return reply.build();
  }
}
