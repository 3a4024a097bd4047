package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.sysmgr.configuration.Answer;
import org.weft.sysmgr.configuration.Command;
import org.weft.sysmgr.configuration.Configuration;
import org.weft.sysmgr.configuration.NodeKey;
import org.weft.sysmgr.configuration.OsdNode;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.liveness.HeartbeatTable;

/**
 * JOIN_OSD and JOIN_MANAGER. An OSD gets every partition's keys and fence epoch, as they are after
 * its join is durable: it stores them before it serves anyone (P 5.8).
 */
final class JoinHandler implements RequestHandler {
  private static final int HEARTBEAT_MILLIS = 1_000;

  private final NodeKey.Kind kind;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;

  JoinHandler(
      NodeKey.Kind kind,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      Environment environment) {
    this.kind = kind;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.environment = environment;
  }

  @Override
  public CompletionStage<? extends MessageLite> answer(InboundRequest request) throws RpcException {
    JoinRequest join = request.parse(JoinRequest.parser());
    Command.Join command =
        new Command.Join(
            kind,
            Limits.identity(join.getIdentity()),
            Limits.sentence(join.getClusterId()),
            join.getNodeId(),
            Limits.addresses(join.getAddressesList()),
            Limits.host(join.getHost()),
            join.getIncarnation(),
            join.getCapacityBytes(),
            join.getUnclean(),
            environment.clock().nowMillis(),
            Limits.sentence(join.getStoreFailure()));
    return proposals.propose(command).thenApply(answer -> joined(command, answer));
  }

  private JoinReply joined(Command.Join command, Answer answer) {
    int id = ((Answer.Joined) answer).nodeId();
    heartbeats.joined(
        new NodeKey(kind, id), command.incarnation(), environment.ticker().nowNanos());
    Configuration state = configuration.current();
    JoinReply.Builder reply =
        JoinReply.newBuilder()
            .setNodeId(id)
            .setClusterId(state.cluster().orElseThrow().id().value())
            .setHeartbeatMillis(HEARTBEAT_MILLIS)
            .setPartitionsVersion(state.partitionsVersion());
    if (kind == NodeKey.Kind.OSD) {
      reply
          .addAllPartitions(WireForms.partitions(state))
          .setLastPartitionId(state.history().lastVolumeId());
      OsdNode osd = state.osds().get(new OsdId(id));
      reply
          .setDownMillis((int) TimeUnit.NANOSECONDS.toMillis(HeartbeatTable.DOWN_NANOS))
          .setQuarantine(WireForms.quarantine(osd))
          .setQuarantined(WireForms.isQuarantined(osd))
          .addAllOpenVolumes(WireForms.openVolumes(state, osd))
          .addAllSysmgrs(WireForms.sysmgrs(state));
    }
    return reply.build();
  }
}
