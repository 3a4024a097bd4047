package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeLife;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * The second step of making a volume: only its owner, in its present epoch, may say that it is
 * done.
 */
final class FormattedRule {
  private FormattedRule() {}

  static Decision decide(Configuration state, Command.Formatted command) {
    Optional<Decision> refusal =
        OwnerRule.refusal(state, command.volume(), command.manager(), command.epoch());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Volume volume = state.volumes().get(command.volume());
    ConfigurationDraft draft = new ConfigurationDraft(state);
    VolumeLife life = volume.life();
    draft.volumes.put(
        volume.id(),
        volume
            .withFormatted()
            .with(life.stage() == VolumeStage.CREATING ? life.at(VolumeStage.FORMATTED) : life));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
