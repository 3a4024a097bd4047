package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Takes a manager's word that it has carried out its part of a creation or deletion. Only the
 * manager whose part it is, in the present epoch of the volume it acts for, is believed; a step
 * told twice changes nothing.
 */
final class VolumeStepRule {
  private VolumeStepRule() {}

  static Decision decide(Configuration state, Command.Step command) {
    Volume volume = state.volumes().get(command.volume());
    if (volume == null || volume.life().operation() != command.operation()) {
      return state.history().endedByNumber(command.operation()).isPresent()
          ? Decision.unchanged(state, new CommandResult.Done())
          : Decision.refused(
              state,
              ErrorCode.NOT_FOUND,
              "there is no operation " + command.operation() + " on volume " + command.volume());
    }
    Optional<Volume> acting =
        command.kind().ofParent()
            ? volume.life().parent().map(state.volumes()::get)
            : Optional.of(volume);
    boolean believed =
        acting.filter(found -> found.isServedBy(command.manager(), command.epoch())).isPresent();
    if (!believed) {
      return Decision.refused(
          state,
          ErrorCode.FENCED,
          command.kind()
              + " of volume "
              + volume.path()
              + " is not for manager-"
              + command.manager()
              + " in epoch "
              + command.epoch()
              + " to say");
    }
    if (volume.stage() != command.kind().from()) {
      // Told already; a later stage of the same operation follows from it.
      return Decision.unchanged(state, new CommandResult.Done());
    }
    return new Decision(taken(state, volume, command), new CommandResult.Done());
  }

  private static Configuration taken(Configuration state, Volume volume, Command.Step command) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    PartitionId id = volume.id();
    Optional<EndedOperation.Failure> failure =
        Optional.of(new EndedOperation.Failure(command.error(), command.message()));
    switch (command.kind()) {
      case LINKED -> {
        draft.volumes.put(id, volume.with(volume.life().at(VolumeStage.ACTIVE)));
        draft.ended(volume, false, Optional.empty(), command.nowMillis());
      }
      case LINK_REFUSED -> {
        draft.removeVolume(id);
        draft.ended(volume, false, failure, command.nowMillis());
      }
      case EMPTIED -> draft.volumes.put(id, volume.with(volume.life().at(VolumeStage.EMPTIED)));
      case NOT_EMPTIED -> {
        draft.volumes.put(id, volume.with(volume.life().at(VolumeStage.ACTIVE)));
        draft.ended(volume, true, failure, command.nowMillis());
      }
      case UNLINKED -> {
        draft.removeVolume(id);
        draft.ended(volume, true, Optional.empty(), command.nowMillis());
      }
    }
    return draft.freeze();
  }
}
