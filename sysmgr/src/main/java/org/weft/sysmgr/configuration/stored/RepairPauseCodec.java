package org.weft.sysmgr.configuration.stored;

import java.util.Optional;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.PauseRepairsCommand;
import org.weft.protocol.wire.ResumeRepairsCommand;
import org.weft.protocol.wire.StoredRepairPause;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.RepairPause;

/** Pauses of rebuilds, as commands and snapshots keep them. */
final class RepairPauseCodec {
  private RepairPauseCodec() {}

  static StoredRepairPause stored(RepairPause pause) {
    return StoredRepairPause.newBuilder()
        .setReason(pause.reason())
        .setUser(pause.user())
        .setSinceMillis(pause.sinceMillis())
        .setEndMillis(pause.endMillis())
        .build();
  }

  static Optional<RepairPause> pause(ConfigurationSnapshot stored) {
    if (!stored.hasRepairPause()) {
      return Optional.empty();
    }
    StoredRepairPause pause = stored.getRepairPause();
    return Optional.of(
        new RepairPause(
            pause.getReason(), pause.getUser(), pause.getSinceMillis(), pause.getEndMillis()));
  }

  static PauseRepairsCommand stored(Command.PauseRepairs command) {
    return PauseRepairsCommand.newBuilder()
        .setReason(command.reason())
        .setUser(command.user())
        .setNowMillis(command.nowMillis())
        .setForMillis(command.forMillis())
        .build();
  }

  static Command command(PauseRepairsCommand stored) {
    return new Command.PauseRepairs(
        stored.getReason(), stored.getUser(), stored.getNowMillis(), stored.getForMillis());
  }

  static ResumeRepairsCommand stored(Command.ResumeRepairs command) {
    return ResumeRepairsCommand.newBuilder().setEndMillis(command.endMillis()).build();
  }

  static Command command(ResumeRepairsCommand stored) {
    return new Command.ResumeRepairs(stored.getEndMillis());
  }
}
