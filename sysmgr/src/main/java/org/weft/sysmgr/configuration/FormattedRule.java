package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.rpc.ErrorCode;

/**
 * The second step of making a volume: only its owner, in its present epoch, may say that it is
 * done.
 */
final class FormattedRule {
  private FormattedRule() {}

  static Decision decide(Configuration state, Command.Formatted command) {
    Volume volume = state.volumes().get(command.volume());
    if (volume == null) {
      return Decision.refused(state, ErrorCode.NOT_FOUND, "there is no volume " + command.volume());
    }
    if (!volume.owner().equals(Optional.of(command.manager()))
        || volume.epoch() != command.epoch()) {
      return Decision.refused(
          state,
          ErrorCode.FENCED,
          "volume "
              + volume.id()
              + " is in epoch "
              + volume.epoch()
              + " of manager-"
              + volume.owner().map(Object::toString).orElse("none")
              + ", not in epoch "
              + command.epoch()
              + " of manager-"
              + command.manager());
    }
    Draft draft = new Draft(state);
    VolumeLife life = volume.life();
    draft.volumes.put(
        volume.id(),
        volume
            .withFormatted()
            .with(life.stage() == VolumeStage.CREATING ? life.at(VolumeStage.FORMATTED) : life));
    return new Decision(draft.freeze(), new Answer.Done());
  }
}
