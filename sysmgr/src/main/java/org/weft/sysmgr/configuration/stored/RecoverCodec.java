package org.weft.sysmgr.configuration.stored;

import java.util.Optional;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.RecoverVolumeCommand;
import org.weft.protocol.wire.StoredRecovery;
import org.weft.protocol.wire.VolumeRecoveredCommand;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.volume.OrderedRecovery;

/** Recoveries of volumes, as commands and snapshots keep them. */
final class RecoverCodec {
  private RecoverCodec() {}

  static StoredRecovery stored(OrderedRecovery recovery) {
    return StoredRecovery.newBuilder()
        .setFirstEpoch(recovery.firstEpoch())
        .setReason(recovery.reason())
        .setSinceMillis(recovery.sinceMillis())
        .build();
  }

  static OrderedRecovery recovery(StoredRecovery stored) {
    return new OrderedRecovery(stored.getFirstEpoch(), stored.getReason(), stored.getSinceMillis());
  }

  static RecoverVolumeCommand stored(Command.RecoverVolume command) {
    return RecoverVolumeCommand.newBuilder()
        .setPath(command.path())
        .setManagerId(command.manager().map(ManagerId::value).orElse(0))
        .setReason(command.reason())
        .setJournalLost(command.journalLost())
        .setNowMillis(command.nowMillis())
        .setExpectedEpoch(command.expectedEpoch())
        .build();
  }

  static Command command(RecoverVolumeCommand stored) {
    return new Command.RecoverVolume(
        stored.getPath(),
        Optional.of(stored.getManagerId()).filter(id -> id != 0).map(ManagerId::new),
        stored.getReason(),
        stored.getJournalLost(),
        stored.getNowMillis(),
        stored.getExpectedEpoch());
  }

  static VolumeRecoveredCommand stored(Command.Recovered command) {
    return VolumeRecoveredCommand.newBuilder()
        .setManagerId(command.manager().value())
        .setVolumeId(command.volume().value())
        .setEpoch(command.epoch())
        .build();
  }

  static Command command(VolumeRecoveredCommand stored) {
    return new Command.Recovered(
        new ManagerId(stored.getManagerId()),
        new PartitionId(stored.getVolumeId()),
        stored.getEpoch());
  }
}
