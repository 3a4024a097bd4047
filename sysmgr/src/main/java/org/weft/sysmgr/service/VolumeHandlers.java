package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.ManagerLeases;

/**
 * The requests of a volume's owner. A new epoch waits until the lease of the start before it has
 * run out: see {@link OwnerChanges}.
 */
final class VolumeHandlers {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final ManagerLeases leases;
  private final OwnerChanges changes;
  private final Environment environment;

  VolumeHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      ManagerLeases leases,
      OwnerChanges changes,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.leases = leases;
    this.changes = changes;
    this.environment = environment;
  }

  CompletionStage<? extends MessageLite> acquire(InboundRequest request) throws WeftException {
    AcquireVolumesRequest wanted = request.parse(AcquireVolumesRequest.parser());
    Command.Acquire command =
        new Command.Acquire(
            new ManagerId(wanted.getManagerId()),
            wanted.getIncarnation(),
            wanted.getNonce(),
            environment.clock().nowMillis(),
            Optional.of(wanted.getVolumeId()).filter(id -> id != 0).map(PartitionId::new));
    if (!isNewStart(command)) {
      return changes.propose(command).thenApply(answer -> acquired(command, answer));
    }
    return changes
        .propose(command.manager(), 0, command, "")
        .thenApply(answer -> acquired(command, answer));
  }

  /** Neither a repeat, nor refused, nor a volume that was made after the start. */
  private boolean isNewStart(Command.Acquire command) {
    Configuration state = configuration.current();
    return command.volume().isEmpty()
        && new ConfigurationMachine(state).decide(command).next() != state;
  }

  private AcquireVolumesReply acquired(Command.Acquire command, CommandResult answer) {
    leases.acquired(command.manager(), command.incarnation(), environment.ticker().nowNanos());
    Configuration state = configuration.current();
    String superuser = state.cluster().orElseThrow().superuser();
    AcquireVolumesReply.Builder reply =
        AcquireVolumesReply.newBuilder().setLeaseMillis(ManagerLeases.LEASE_MILLIS);
    for (PartitionId id : ((CommandResult.Acquired) answer).volumes()) {
      reply.addVolumes(
          AcquiredVolume.newBuilder()
              .setVolume(WireCodec.volume(state.volumes().get(id), superuser))
              .setKeys(WireCodec.partition(state.partitions().get(id))));
    }
    return reply.build();
  }

  CompletionStage<? extends MessageLite> readmit(InboundRequest request) throws WeftException {
    ReadmitOsdRequest compared = request.parse(ReadmitOsdRequest.parser());
    Command.Readmit command =
        new Command.Readmit(
            new ManagerId(compared.getManagerId()),
            new PartitionId(compared.getVolumeId()),
            compared.getEpoch(),
            new OsdId(compared.getOsdId()),
            compared.getIncarnation(),
            compared.getQuarantine());
    return proposals.record(command);
  }

  CompletionStage<? extends MessageLite> setBackup(InboundRequest request) throws WeftException {
    SetBackupRequest said = request.parse(SetBackupRequest.parser());
    Command.SetBackup command =
        new Command.SetBackup(
            new ManagerId(said.getManagerId()),
            new PartitionId(said.getVolumeId()),
            said.getEpoch(),
            said.getNumber(),
            Optional.of(said.getBackupId()).filter(id -> id != 0).map(ManagerId::new));
    requireHeard(command);
    if (said.getUnreached() && command.backup().isEmpty()) {
      requireParted(command);
    }
    return proposals.record(command);
  }

  /** A backup that SysMgr does not hear could not be promoted. */
  private void requireHeard(Command.SetBackup command) throws WeftException {
    boolean isDown =
        command
            .backup()
            .map(configuration.current().managers()::get)
            .filter(backup -> backup.node().liveness() == Liveness.DOWN)
            .isPresent();
    if (isDown) {
      throw new WeftException(
          ErrorCode.BUSY,
          "manager-%s is down for SysMgr, and could not be promoted; name another one"
              .formatted(command.backup().get()));
    }
  }

  /**
   * The primary itself may be the one that is cut off: its backup is to have the volume then. No
   * other member of SysMgr is to be asked, so it is not UNAVAILABLE.
   */
  private void requireParted(Command.SetBackup command) throws WeftException {
    Configuration state = configuration.current();
    Volume volume = state.volumes().get(command.volume());
    if (!leadership.leading()
        || volume == null
        || !volume.isServedBy(command.manager(), command.epoch())) {
      // The log refuses it.
      return;
    }
    Optional<String> why =
        leadership.wanted().part(state, heartbeats, volume, environment.ticker().nowNanos());
    if (why.isPresent()) {
      throw new WeftException(ErrorCode.BUSY, why.get());
    }
  }

  /** The primary itself says that it serves no more: no lease need be waited for. */
  CompletionStage<? extends MessageLite> handOver(InboundRequest request) throws WeftException {
    HandOverRequest said = request.parse(HandOverRequest.parser());
    Command.HandOver command =
        new Command.HandOver(
            new PartitionId(said.getVolumeId()),
            said.getEpoch(),
            new ManagerId(said.getManagerId()),
            new ManagerId(said.getBackupId()));
    return proposals.record(command);
  }

  CompletionStage<? extends MessageLite> formatted(InboundRequest request) throws WeftException {
    VolumeFormattedRequest done = request.parse(VolumeFormattedRequest.parser());
    Command.Formatted command =
        new Command.Formatted(
            new ManagerId(done.getManagerId()),
            new PartitionId(done.getVolumeId()),
            done.getEpoch());
    return proposals.record(command);
  }
}
