package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.RecoverVolumeRequest;
import org.weft.protocol.wire.VolumeRecoveredRequest;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.liveness.HeartbeatTable;

/**
 * RECOVER_VOLUME, which an operator asks for, and VOLUME_RECOVERED, by which the manager says that
 * it is done (P 6.8e). The new epoch waits until the lease of the volume's last manager has run
 * out, as every other does (P 6.2).
 */
final class RecoverHandlers {
  private static final int MAX_REASON_CHARS = 500;

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final OwnerChanges changes;
  private final Environment environment;
  private final Administrators authority;

  RecoverHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      OwnerChanges changes,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.changes = changes;
    this.environment = environment;
    this.authority = new Administrators(configuration);
  }

  CompletionStage<? extends MessageLite> recover(InboundRequest request) throws WeftException {
    leadership.require();
    RecoverVolumeRequest wanted = request.parse(RecoverVolumeRequest.parser());
    authority.require("recover volumes", wanted.getUser(), wanted.getGroupsList());
    if (wanted.getForce().length() > MAX_REASON_CHARS
        || wanted.getForce().chars().anyMatch(Character::isISOControl)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a reason has at most " + MAX_REASON_CHARS + " characters, and no control character");
    }
    Optional<Volume> volume = volume(wanted.getPath());
    Optional<ManagerId> owner = volume.flatMap(Volume::owner);
    Command.RecoverVolume command =
        new Command.RecoverVolume(
            wanted.getPath(),
            Optional.of(wanted.getManagerId()).filter(id -> id != 0).map(ManagerId::new),
            wanted.getForce(),
            isJournalLost(wanted.getPath()),
            environment.clock().nowMillis(),
            volume.map(Volume::epoch).orElse(0L));
    Configuration state = configuration.current();
    if (owner.isEmpty() || new ConfigurationMachine(state).decide(command).next() == state) {
      // Refused, or done already: nothing gets another epoch.
      return proposals.record(command, wanted.getUser());
    }
    return changes
        .propose(owner.get(), HandOvers.MARGIN_NANOS, command, wanted.getUser())
        .thenApply(done -> Empty.getDefaultInstance());
  }

  private Optional<Volume> volume(String path) {
    return VolumePaths.at(configuration.current().volumes(), path);
  }

  /** By the word of the start that has the volume now. */
  private boolean isJournalLost(String path) {
    return volume(path)
        .filter(each -> each.owner().isPresent())
        .map(
            each ->
                heartbeats.report(NodeKey.of(each.owner().get())).stream()
                    .flatMap(report -> report.volumes().stream())
                    .anyMatch(
                        said ->
                            said.volume().equals(each.id())
                                && said.epoch() == each.epoch()
                                && said.health().getJournalLost()))
        .orElse(false);
  }

  CompletionStage<? extends MessageLite> recovered(InboundRequest request) throws WeftException {
    VolumeRecoveredRequest done = request.parse(VolumeRecoveredRequest.parser());
    Command.Recovered command =
        new Command.Recovered(
            new ManagerId(done.getManagerId()),
            new PartitionId(done.getVolumeId()),
            done.getEpoch());
    return proposals.record(command);
  }
}
