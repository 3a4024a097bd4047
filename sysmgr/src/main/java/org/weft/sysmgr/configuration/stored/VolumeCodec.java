package org.weft.sysmgr.configuration.stored;

import java.util.Optional;
import java.util.SortedMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.StoredOperation;
import org.weft.protocol.wire.StoredVolume;
import org.weft.protocol.wire.StoredVolumeStage;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.VolumeHistory;
import org.weft.sysmgr.configuration.volume.Backup;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeLife;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/** Volumes and what is remembered of them, as they are stored in a snapshot. */
final class VolumeCodec {
  private VolumeCodec() {}

  static void write(Configuration state, ConfigurationSnapshot.Builder stored) {
    state.volumes().values().forEach(volume -> stored.addVolumes(volume(volume)));
    VolumeHistory history = state.history();
    if (history.lastVolumeId() > greatest(state.volumes())) {
      stored.setLastVolumeId(history.lastVolumeId());
    }
    stored.setLastOperation(history.lastOperation());
    history.ended().forEach(operation -> stored.addOperations(operation(operation)));
    MoveCodec.write(history.placement(), stored);
  }

  static VolumeHistory history(
      ConfigurationSnapshot stored, SortedMap<PartitionId, Volume> volumes) {
    return new VolumeHistory(
        Math.max(stored.getLastVolumeId(), greatest(volumes)),
        stored.getLastOperation(),
        stored.getOperationsList().stream().map(VolumeCodec::operation).toList(),
        MoveCodec.placement(stored));
  }

  private static long greatest(SortedMap<PartitionId, Volume> volumes) {
    return volumes.isEmpty() ? Volume.ROOT.value() : volumes.lastKey().value();
  }

  private static StoredVolume volume(Volume volume) {
    StoredVolume.Builder stored = StoredVolume.newBuilder();
    volume.recovery().ifPresent(ordered -> stored.setRecovery(RecoverCodec.stored(ordered)));
    return stored
        .setVolumeId(volume.id().value())
        .setPath(volume.path())
        .setManagerId(volume.owner().map(ManagerId::value).orElse(0))
        .setEpoch(volume.epoch())
        .setMaxParity(volume.maxParity())
        .setBladeSet(volume.bladeSet())
        .setFormatted(volume.formatted())
        .setDefaultDataUnits(volume.defaultDataUnits())
        .setDefaultParityUnits(volume.defaultParityUnits())
        .setStage(stage(volume.stage()))
        .setParentVolumeId(volume.life().parent().map(PartitionId::value).orElse(0L))
        .setOperation(volume.life().operation())
        .setNonce(volume.life().nonce())
        .setBackupId(volume.backup().manager().map(ManagerId::value).orElse(0))
        .setBackupNumber(volume.backup().number())
        .build();
  }

  static Volume volume(StoredVolume stored) {
    VolumeLife life =
        new VolumeLife(
            stage(stored.getStage()),
            Optional.of(stored.getParentVolumeId()).filter(id -> id != 0).map(PartitionId::new),
            stored.getOperation(),
            stored.getNonce());
    return new Volume(
        new PartitionId(stored.getVolumeId()),
        stored.getPath(),
        stored.getManagerId() == 0
            ? Optional.empty()
            : Optional.of(new ManagerId(stored.getManagerId())),
        stored.getEpoch(),
        stored.getMaxParity(),
        stored.getBladeSet(),
        stored.getFormatted(),
        stored.getDefaultDataUnits(),
        stored.getDefaultParityUnits(),
        life,
        new Backup(
            Optional.of(stored.getBackupId()).filter(id -> id != 0).map(ManagerId::new),
            stored.getBackupNumber()),
        stored.hasRecovery()
            ? Optional.of(RecoverCodec.recovery(stored.getRecovery()))
            : Optional.empty());
  }

  private static StoredVolumeStage stage(VolumeStage stage) {
    return switch (stage) {
      case CREATING -> StoredVolumeStage.STORED_CREATING;
      case FORMATTED -> StoredVolumeStage.STORED_FORMATTED;
      case ACTIVE -> StoredVolumeStage.STORED_ACTIVE;
      case DELETING -> StoredVolumeStage.STORED_DELETING;
      case EMPTIED -> StoredVolumeStage.STORED_EMPTIED;
    };
  }

  private static VolumeStage stage(StoredVolumeStage stored) {
    return switch (stored) {
      case STORED_CREATING -> VolumeStage.CREATING;
      case STORED_FORMATTED -> VolumeStage.FORMATTED;
      case STORED_ACTIVE -> VolumeStage.ACTIVE;
      case STORED_DELETING -> VolumeStage.DELETING;
      case STORED_EMPTIED -> VolumeStage.EMPTIED;
      case UNRECOGNIZED ->
          throw new IllegalArgumentException("a volume's stage that this release does not know");
    };
  }

  private static StoredOperation operation(EndedOperation operation) {
    StoredOperation.Builder stored =
        StoredOperation.newBuilder()
            .setOperation(operation.operation())
            .setVolumeId(operation.volume().value())
            .setPath(operation.path())
            .setDeletion(operation.deletion())
            .setNonce(operation.nonce())
            .setEndedMillis(operation.endedMillis());
    operation
        .failure()
        .ifPresent(
            failure -> stored.setError(failure.code().number()).setMessage(failure.message()));
    return stored.build();
  }

  private static EndedOperation operation(StoredOperation stored) {
    return new EndedOperation(
        stored.getOperation(),
        new PartitionId(stored.getVolumeId()),
        stored.getPath(),
        stored.getDeletion(),
        stored.getError() == 0
            ? Optional.empty()
            : Optional.of(
                new EndedOperation.Failure(ErrorCode.of(stored.getError()), stored.getMessage())),
        stored.getNonce(),
        stored.getEndedMillis());
  }
}
