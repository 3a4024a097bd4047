package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeLife;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Begins the deletion of a volume. One in the making is undone: nothing can have been written to
 * it. Whether an active one is empty is for its manager to say.
 */
final class DeleteVolumeRule {
  private DeleteVolumeRule() {}

  static Decision decide(Configuration state, Command.DeleteVolume command) {
    if (command.nonce() == 0) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, "a request needs a nonce");
    }
    if (state.history().endedByNonce(command.nonce()).isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Volume volume = VolumePaths.at(state.volumes(), command.path()).orElse(null);
    if (volume == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no volume " + command.path() + "; `weft volume list` shows those there are");
    }
    if (volume.id().equals(Volume.ROOT)) {
      return Decision.refused(
          state, ErrorCode.INVALID_ARGUMENT, "the root volume cannot be deleted");
    }
    if (volume.life().nonce() == command.nonce()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Optional<Volume> below = VolumePaths.below(state.volumes(), command.path());
    if (below.isPresent()) {
      return Decision.refused(
          state,
          ErrorCode.NOT_EMPTY,
          "the volume " + below.get().path() + " lies in it; delete that one first");
    }
    return begin(state, volume, command);
  }

  private static Decision begin(Configuration state, Volume volume, Command.DeleteVolume command) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    PartitionId id = volume.id();
    VolumeLife life = volume.life();
    switch (volume.stage()) {
      case ACTIVE -> {
        long operation = draft.issueOperation();
        draft.volumes.put(
            id, volume.with(life.begun(VolumeStage.DELETING, operation, command.nonce())));
      }
      case CREATING, FORMATTED -> {
        EndedOperation.Failure deleted =
            new EndedOperation.Failure(
                ErrorCode.CANCELLED, "the volume was deleted before it was finished");
        draft.ended(volume, false, Optional.of(deleted), command.nowMillis());
        long operation = draft.issueOperation();
        draft.volumes.put(
            id, volume.with(life.begun(VolumeStage.EMPTIED, operation, command.nonce())));
      }
      case DELETING, EMPTIED ->
          // The client that asked first may not be waiting any more; this one asks for the same.
          draft.volumes.put(id, volume.with(life.askedAgain(command.nonce())));
    }
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
