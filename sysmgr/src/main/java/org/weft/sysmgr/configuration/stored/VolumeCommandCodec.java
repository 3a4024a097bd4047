package org.weft.sysmgr.configuration.stored;

import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.CreateVolumeCommand;
import org.weft.protocol.wire.DeleteVolumeCommand;
import org.weft.protocol.wire.HandOverCommand;
import org.weft.protocol.wire.SetBackupCommand;
import org.weft.protocol.wire.VolumeStep;
import org.weft.protocol.wire.VolumeStepCommand;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.volume.StepKind;

/** The commands of volumes' lives as the log keeps them. */
final class VolumeCommandCodec {
  private VolumeCommandCodec() {}

  static CreateVolumeCommand create(Command.CreateVolume command) {
    return CreateVolumeCommand.newBuilder()
        .setPath(command.path())
        .setMaxParity(command.maxParity())
        .setDefaultDataUnits(command.defaultDataUnits())
        .setDefaultParityUnits(command.defaultParityUnits())
        .setBladeSet(command.bladeSet())
        .setKey(StoredValueCodec.bytes(command.key()))
        .setNonce(command.nonce())
        .setNowMillis(command.nowMillis())
        .addAllAvoidedManagers(command.avoided().stream().map(ManagerId::value).toList())
        .build();
  }

  static Command create(CreateVolumeCommand stored) {
    return new Command.CreateVolume(
        stored.getPath(),
        stored.getMaxParity(),
        stored.getDefaultDataUnits(),
        stored.getDefaultParityUnits(),
        stored.getBladeSet(),
        StoredValueCodec.secret(stored.getKey()),
        stored.getNonce(),
        stored.getNowMillis(),
        stored.getAvoidedManagersList().stream()
            .map(ManagerId::new)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  static DeleteVolumeCommand delete(Command.DeleteVolume command) {
    return DeleteVolumeCommand.newBuilder()
        .setPath(command.path())
        .setNonce(command.nonce())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command delete(DeleteVolumeCommand stored) {
    return new Command.DeleteVolume(stored.getPath(), stored.getNonce(), stored.getNowMillis());
  }

  static VolumeStepCommand step(Command.Step command) {
    return VolumeStepCommand.newBuilder()
        .setManagerId(command.manager().value())
        .setVolumeId(command.volume().value())
        .setOperation(command.operation())
        .setEpoch(command.epoch())
        .setStep(step(command.kind()).getNumber())
        .setError(command.error().number())
        .setMessage(command.message())
        .setNowMillis(command.nowMillis())
        .build();
  }

  private static VolumeStep step(StepKind kind) {
    return switch (kind) {
      case LINKED -> VolumeStep.LINKED;
      case LINK_REFUSED -> VolumeStep.LINK_REFUSED;
      case EMPTIED -> VolumeStep.VOLUME_EMPTIED;
      case NOT_EMPTIED -> VolumeStep.NOT_EMPTIED;
      case UNLINKED -> VolumeStep.UNLINKED;
    };
  }

  static Command step(VolumeStepCommand stored) {
    VolumeStep step = VolumeStep.forNumber(stored.getStep());
    return new Command.Step(
        new ManagerId(stored.getManagerId()),
        new PartitionId(stored.getVolumeId()),
        stored.getOperation(),
        stored.getEpoch(),
        StepKind.of(step == null ? VolumeStep.UNRECOGNIZED : step),
        ErrorCode.of(stored.getError()),
        stored.getMessage(),
        stored.getNowMillis());
  }

  static SetBackupCommand backup(Command.SetBackup command) {
    return SetBackupCommand.newBuilder()
        .setManagerId(command.manager().value())
        .setVolumeId(command.volume().value())
        .setEpoch(command.epoch())
        .setNumber(command.number())
        .setBackupId(command.backup().map(ManagerId::value).orElse(0))
        .build();
  }

  static Command backup(SetBackupCommand stored) {
    return new Command.SetBackup(
        new ManagerId(stored.getManagerId()),
        new PartitionId(stored.getVolumeId()),
        stored.getEpoch(),
        stored.getNumber(),
        Optional.of(stored.getBackupId()).filter(id -> id != 0).map(ManagerId::new));
  }

  static HandOverCommand handOver(Command.HandOver command) {
    return HandOverCommand.newBuilder()
        .setVolumeId(command.volume().value())
        .setEpoch(command.epoch())
        .setManagerId(command.manager().value())
        .setBackupId(command.backup().value())
        .build();
  }

  static Command handOver(HandOverCommand stored) {
    return new Command.HandOver(
        new PartitionId(stored.getVolumeId()),
        stored.getEpoch(),
        new ManagerId(stored.getManagerId()),
        new ManagerId(stored.getBackupId()));
  }
}
