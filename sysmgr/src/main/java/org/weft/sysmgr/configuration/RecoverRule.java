package org.weft.sysmgr.configuration;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.OrderedRecovery;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Volumes whose journal is lost (P 6.8e). The order is recorded with a new epoch and the manager
 * that is to carry it out. It stands until that manager, or a later one, has said that it is done.
 * In the new epoch no journal of before counts, wherever it comes up again.
 */
final class RecoverRule {
  private RecoverRule() {}

  static Decision decide(Configuration state, Command.RecoverVolume command) {
    Optional<Volume> there = VolumePaths.at(state.volumes(), command.path());
    if (there.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no volume %s; `weft volume list` shows them".formatted(command.path()));
    }
    Volume volume = there.get();
    if (volume.stage() != VolumeStage.ACTIVE || !volume.formatted()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "the volume %s is being made or deleted: that goes on by itself, and nothing of it can be lost"
              .formatted(volume.path()));
    }
    boolean goesOn =
        volume.recovery().isPresent()
            && volume.owner().filter(owner -> isHeard(state, owner)).isPresent()
            && command.manager().filter(wanted -> !isOwner(volume, wanted)).isEmpty();
    if (goesOn) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    return served(state, volume, command)
        .or(() -> mayHaveJournal(state, volume, command))
        .or(() -> unfit(state, command))
        .orElseGet(() -> ordered(state, volume, command));
  }

  private static boolean isOwner(Volume volume, ManagerId manager) {
    return volume.owner().equals(Optional.of(manager));
  }

  private static boolean isHeard(Configuration state, ManagerId manager) {
    ManagerNode node = state.managers().get(manager);
    return node != null && node.node().liveness() != Liveness.DOWN;
  }

  /** It has another manager, or another start of its manager, whose lease is not over. */
  private static Optional<Decision> served(
      Configuration state, Volume volume, Command.RecoverVolume command) {
    return command.expectedEpoch() == 0 || command.expectedEpoch() == volume.epoch()
        ? Optional.empty()
        : Optional.of(
            Decision.refused(
                state,
                ErrorCode.INVALID_ARGUMENT,
                "volume %s went to %s while the order waited for the lease of the manager before; see whether it is served (weft volume list), and order again if not"
                    .formatted(
                        volume.path(),
                        volume.owner().map(owner -> "manager-" + owner).orElse("no manager"))));
  }

  /** While a recovery goes on no manager has the journal. */
  private static Optional<Decision> mayHaveJournal(
      Configuration state, Volume volume, Command.RecoverVolume command) {
    if (!command.reason().isEmpty() || volume.recovery().isPresent()) {
      return Optional.empty();
    }
    Stream<ManagerId> owner = volume.owner().filter(each -> !command.journalLost()).stream();
    return Stream.concat(owner, volume.backup().manager().stream())
        .filter(each -> isHeard(state, each))
        .findFirst()
        .map(
            holder ->
                Decision.refused(
                    state,
                    ErrorCode.INVALID_ARGUMENT,
                    ("manager-%s is heard and may have the journal of %s, in which is what OSDs do not"
                            + " have yet; `weft status` says what it waits for. Stop it first, or say"
                            + " with --force REASON why its journal is of no use")
                        .formatted(holder, volume.path())));
  }

  private static Optional<Decision> unfit(Configuration state, Command.RecoverVolume command) {
    if (command.manager().isEmpty()) {
      return Optional.empty();
    }
    ManagerId wanted = command.manager().get();
    ManagerNode manager = state.managers().get(wanted);
    if (manager == null) {
      return Optional.of(
          Decision.refused(
              state,
              ErrorCode.NOT_FOUND,
              "there is no manager-%s; `weft status` shows them".formatted(wanted)));
    }
    return state.history().placement().takesVolumes(manager)
        ? Optional.empty()
        : Optional.of(
            Decision.refused(
                state,
                ErrorCode.INVALID_ARGUMENT,
                "manager-%s is not up, or is drained; start it, or name another"
                    .formatted(wanted)));
  }

  private static Decision ordered(
      Configuration state, Volume volume, Command.RecoverVolume command) {
    Optional<ManagerId> manager = command.manager().or(() -> chosen(state, volume));
    if (manager.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.UNAVAILABLE,
          "no manager is up that could recover %s; start one, with an empty data directory if its own is"
                  .formatted(volume.path())
              + " lost");
    }
    long epoch = volume.epoch() + 1;
    if (epoch > Lsn.MAX_EPOCH) {
      return Decision.refused(
          state, ErrorCode.UNSUPPORTED, "volume " + volume.id() + " has used up all its epochs");
    }
    OrderedRecovery order =
        volume.recovery().orElse(new OrderedRecovery(epoch, command.reason(), command.nowMillis()));
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.volumes.put(volume.id(), volume.recoveredBy(manager.get(), order));
    draft.placement(state.history().placement().without(volume.id()));
    draft.partitions.computeIfPresent(volume.id(), (id, partition) -> partition.fencedBy(epoch));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** The one that has the volume, if it can, else the one that has the fewest. */
  private static Optional<ManagerId> chosen(Configuration state, Volume volume) {
    return state.managers().values().stream()
        .filter(state.history().placement()::takesVolumes)
        .map(ManagerNode::id)
        .min(
            Comparator.<ManagerId, Boolean>comparing(id -> !isOwner(volume, id))
                .thenComparing(id -> owned(state, id))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static long owned(Configuration state, ManagerId manager) {
    return state.volumes().values().stream().filter(each -> isOwner(each, manager)).count();
  }

  static Decision decide(Configuration state, Command.Recovered command) {
    Optional<Decision> refusal =
        OwnerRule.refusal(state, command.volume(), command.manager(), command.epoch());
    if (refusal.isPresent()) {
      return refusal.get();
    }
    Volume volume = state.volumes().get(command.volume());
    if (volume.recovery().isEmpty()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.volumes.put(volume.id(), volume.recovered());
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
