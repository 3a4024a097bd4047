package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeMove;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Volumes that move to other managers (P 6.2). A move is first recorded. Then the primary carries
 * it out: it makes the target its backup and hands over to it. Whatever dies in between, the record
 * says how it goes on.
 */
final class MoveRule {
  private MoveRule() {}

  static Decision decide(Configuration state, Command.MoveVolume command) {
    Optional<Volume> there = VolumePaths.at(state.volumes(), command.path());
    if (there.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no volume %s; `weft volume list` shows them".formatted(command.path()));
    }
    ManagerNode manager = state.managers().get(command.manager());
    if (manager == null) {
      return noManager(state, command.manager());
    }
    Volume volume = there.get();
    PlacementOrders placement = state.history().placement();
    Optional<VolumeMove> underWay = placement.underWay(volume.id());
    if (volume.owner().equals(Optional.of(manager.id()))) {
      return underWay.isEmpty()
          ? Decision.unchanged(state, new CommandResult.Done())
          : next(state, placement.without(volume.id()));
    }
    if (underWay.filter(each -> each.target().equals(manager.id())).isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (volume.stage() != VolumeStage.ACTIVE || volume.owner().isEmpty() || !volume.formatted()) {
      return Decision.refused(
          state,
          ErrorCode.UNAVAILABLE,
          "the volume %s is being made or deleted; try again".formatted(volume.path()));
    }
    if (!placement.takesVolumes(manager)) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          placement.draining().contains(manager.id())
              ? "manager-%s is drained; `weft manager undrain %s` lets it have volumes again"
                  .formatted(manager.id(), manager.id())
              : "manager-%s is not up; start it first".formatted(manager.id()));
    }
    return next(
        state, placement.with(volume.id(), new VolumeMove(manager.id(), "", command.nowMillis())));
  }

  private static Decision noManager(Configuration state, ManagerId manager) {
    return Decision.refused(
        state,
        ErrorCode.NOT_FOUND,
        "there is no manager-%s; `weft status` shows them".formatted(manager));
  }

  private static Decision next(Configuration state, PlacementOrders placement) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.placement(placement);
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  static Decision decide(Configuration state, Command.EndMove command) {
    PlacementOrders placement = state.history().placement();
    PartitionId volume = command.volume();
    Optional<VolumeMove> meant =
        placement.underWay(volume).filter(each -> each.target().equals(command.target()));
    return meant.isEmpty()
        ? Decision.unchanged(state, new CommandResult.Done())
        : next(
            state,
            placement.with(
                volume,
                new VolumeMove(command.target(), command.failure(), meant.get().sinceMillis())));
  }

  static Decision decide(Configuration state, Command.DrainManager command) {
    if (!state.managers().containsKey(command.manager())) {
      return noManager(state, command.manager());
    }
    PlacementOrders placement = state.history().placement();
    if (placement.draining().contains(command.manager()) == command.draining()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (!command.draining()) {
      return next(state, stayed(state, placement.draining(command.manager(), false), command));
    }
    boolean another =
        state.managers().values().stream()
            .anyMatch(each -> !each.id().equals(command.manager()) && placement.takesVolumes(each));
    return another
        ? next(state, placement.draining(command.manager(), true))
        : Decision.refused(
            state,
            ErrorCode.INVALID_ARGUMENT,
            "no other manager is up that could take the volumes of manager-%s; start one first"
                .formatted(command.manager()));
  }

  /** What has not moved away yet stays. */
  private static PlacementOrders stayed(
      Configuration state, PlacementOrders placement, Command.DrainManager command) {
    PlacementOrders next = placement;
    for (Volume volume : state.volumes().values()) {
      if (volume.owner().equals(Optional.of(command.manager()))) {
        next = next.without(volume.id());
      }
    }
    return next;
  }
}
