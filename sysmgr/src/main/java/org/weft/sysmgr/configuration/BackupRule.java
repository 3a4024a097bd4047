package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Backup;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The managers that may serve a volume (P 6.2): the members of its row, and no other manager. A
 * backup enters the row by the word of the primary. The primary acknowledges nothing alone, from
 * before it says so until the row names no backup again. So each member has all that was
 * acknowledged, and a hand-over keeps both.
 */
final class BackupRule {
  private BackupRule() {}

  static Decision decide(Configuration state, Command.SetBackup command) {
    Optional<Decision> refusal =
        OwnerRule.refusal(state, command.volume(), command.manager(), command.epoch());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Volume volume = state.volumes().get(command.volume());
    Backup before = volume.backup();
    if (command.number() == before.number() && command.backup().equals(before.manager())) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (command.number() <= before.number()) {
      return Decision.refused(
          state,
          ErrorCode.CANCELLED,
          "the primary of volume " + volume.id() + " has said something newer of its backup");
    }
    Optional<Decision> unfit = command.backup().flatMap(backup -> unfit(state, volume, backup));
    if (unfit.isPresent()) {
      return unfit.get();
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.volumes.put(volume.id(), volume.with(new Backup(command.backup(), command.number())));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  private static Optional<Decision> unfit(Configuration state, Volume volume, ManagerId backup) {
    ManagerNode manager = state.managers().get(backup);
    if (manager == null || volume.owner().equals(Optional.of(backup))) {
      return Optional.of(
          Decision.refused(
              state,
              ErrorCode.INVALID_ARGUMENT,
              "manager-" + backup + " cannot be the backup of volume " + volume.id()));
    }
    return Optional.empty();
  }

  static Decision decide(Configuration state, Command.HandOver command) {
    Volume volume = state.volumes().get(command.volume());
    if (volume == null) {
      return Decision.refused(state, ErrorCode.NOT_FOUND, "there is no volume " + command.volume());
    }
    if (volume.isServedBy(command.backup(), command.epoch() + 1)) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    boolean asThen =
        volume.isServedBy(command.manager(), command.epoch())
            && volume.backup().manager().equals(Optional.of(command.backup()));
    if (!asThen) {
      return Decision.refused(
          state,
          ErrorCode.FENCED,
          "volume "
              + volume.id()
              + " is not in epoch "
              + command.epoch()
              + " of manager-"
              + command.manager()
              + " with manager-"
              + command.backup()
              + " as its backup any more");
    }
    if (volume.epoch() >= Lsn.MAX_EPOCH) {
      return Decision.refused(
          state, ErrorCode.UNSUPPORTED, "volume " + volume.id() + " has used up all its epochs");
    }
    Volume next = volume.handedOver();
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.handedOver(next);
    draft.partitions.computeIfPresent(
        volume.id(), (id, partition) -> partition.fencedBy(next.epoch()));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
