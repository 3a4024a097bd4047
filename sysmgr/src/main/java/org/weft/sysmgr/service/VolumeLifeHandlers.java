package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.DeleteVolumeRequest;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.protocol.wire.VolumeStepRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.StepKind;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.OsdLooks;

/**
 * CREATE_VOLUME and DELETE_VOLUME, which people ask for, and VOLUME_STEP, by which managers say
 * what they have carried out of it.
 *
 * <p>A client repeats its request until the operation has ended; each repeat is answered with how
 * it stands.
 */
final class VolumeLifeHandlers {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;
  private final Administrators authority;

  VolumeLifeHandlers(
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

  CompletionStage<? extends MessageLite> create(InboundRequest request) throws WeftException {
    leadership.require();
    CreateVolumeRequest wanted = request.parse(CreateVolumeRequest.parser());
    authority.require("create volumes", wanted.getUser(), wanted.getGroupsList());
    if (wanted.getPath().chars().anyMatch(Character::isISOControl)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "the path of a volume must not contain a control character");
    }
    int maxParity = wanted.hasMaxParity() ? wanted.getMaxParity() : Volume.DEFAULT_MAX_PARITY;
    String bladeSet =
        wanted.getBladeSet().isEmpty() ? Configuration.DEFAULT_BLADE_SET : wanted.getBladeSet();
    OsdLooks looks =
        new OsdLooks(configuration.current(), heartbeats, environment.ticker().nowNanos());
    byte[] key = new byte[Partition.KEY_BYTES];
    environment.random().nextBytes(key);
    Command.CreateVolume command =
        new Command.CreateVolume(
            wanted.getPath(),
            maxParity,
            wanted.getDefaultDataUnits(),
            wanted.hasDefaultParityUnits()
                ? wanted.getDefaultParityUnits()
                : Math.min(Volume.DEFAULT_PARITY, maxParity),
            bladeSet,
            Secret.of(key),
            wanted.getNonce(),
            environment.clock().nowMillis(),
            looks.cutOffFrom(bladeSet));
    return answered(wanted.getUser(), wanted.getNonce(), command);
  }

  CompletionStage<? extends MessageLite> delete(InboundRequest request) throws WeftException {
    leadership.require();
    DeleteVolumeRequest wanted = request.parse(DeleteVolumeRequest.parser());
    authority.require("delete volumes", wanted.getUser(), wanted.getGroupsList());
    return answered(
        wanted.getUser(),
        wanted.getNonce(),
        new Command.DeleteVolume(
            wanted.getPath(), wanted.getNonce(), environment.clock().nowMillis()));
  }

  /** A repeat is answered from what is known; a question to the log costs a round of votes. */
  private CompletionStage<VolumeOperation> answered(String user, long nonce, Command command) {
    Optional<VolumeOperation> known = find(nonce);
    if (nonce != 0 && known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    return proposals
        .propose(command, user)
        .thenApply(done -> find(nonce).orElse(VolumeOperation.getDefaultInstance()));
  }

  private Optional<VolumeOperation> find(long nonce) {
    Configuration state = configuration.current();
    Optional<EndedOperation> ended = state.history().endedByNonce(nonce);
    if (ended.isPresent()) {
      return ended.map(WireCodec::operation);
    }
    return state.volumes().values().stream()
        .filter(volume -> volume.life().nonce() == nonce)
        .map(VolumeLifeHandlers::underWay)
        .findFirst();
  }

  private static VolumeOperation underWay(Volume volume) {
    return VolumeOperation.newBuilder()
        .setOperation(volume.life().operation())
        .setVolumeId(volume.id().value())
        .setPath(volume.path())
        .setDeletion(
            volume.stage() == VolumeStage.DELETING || volume.stage() == VolumeStage.EMPTIED)
        .setState(OperationState.UNDER_WAY)
        .build();
  }

  CompletionStage<? extends MessageLite> step(InboundRequest request) throws WeftException {
    VolumeStepRequest taken = request.parse(VolumeStepRequest.parser());
    StepKind kind;
    try {
      kind = StepKind.of(taken.getStep());
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
    Command.Step command =
        new Command.Step(
            new ManagerId(taken.getManagerId()),
            new PartitionId(taken.getVolumeId()),
            taken.getOperation(),
            taken.getEpoch(),
            kind,
            ErrorCode.of(taken.getError()),
            taken.getMessage(),
            environment.clock().nowMillis());
    return proposals.record(command);
  }
}
