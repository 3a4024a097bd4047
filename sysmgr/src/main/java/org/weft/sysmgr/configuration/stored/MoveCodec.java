package org.weft.sysmgr.configuration.stored;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.DrainManagerCommand;
import org.weft.protocol.wire.DrainOsdCommand;
import org.weft.protocol.wire.EndMoveCommand;
import org.weft.protocol.wire.MoveVolumeCommand;
import org.weft.protocol.wire.RemoveManagerCommand;
import org.weft.protocol.wire.RemoveOsdCommand;
import org.weft.protocol.wire.StoredMove;
import org.weft.protocol.wire.StoredRemovedManager;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.RemovedManager;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.VolumeMove;

/**
 * Moves of volumes, and managers that are drained or removed, as commands and snapshots keep them.
 */
final class MoveCodec {
  private MoveCodec() {}

  static void write(PlacementOrders placement, ConfigurationSnapshot.Builder stored) {
    placement
        .moves()
        .forEach(
            (volume, move) ->
                stored.addMoves(
                    StoredMove.newBuilder()
                        .setVolumeId(volume.value())
                        .setManagerId(move.target().value())
                        .setFailure(move.failure())
                        .setSinceMillis(move.sinceMillis())));
    placement.draining().forEach(each -> stored.addDrainingManagers(each.value()));
    placement.removed().forEach(each -> stored.addRemovedOsds(each.value()));
    placement
        .drains()
        .forEach((osd, number) -> stored.addDrainingOsds(osd.value()).addDrainNumbers(number));
    placement
        .balances()
        .forEach((bladeSet, each) -> stored.addBalances(BalanceCodec.stored(bladeSet, each)));
    placement
        .repairPause()
        .ifPresent(pause -> stored.setRepairPause(RepairPauseCodec.stored(pause)));
    placement
        .removedManagers()
        .forEach(
            (manager, each) ->
                stored.addRemovedManagers(
                    StoredRemovedManager.newBuilder()
                        .setManagerId(manager.value())
                        .setIdentity(each.identity())
                        .setHost(each.host())
                        .setRemovedMillis(each.sinceMillis())));
  }

  static PlacementOrders placement(ConfigurationSnapshot stored) {
    SortedMap<PartitionId, VolumeMove> moves = new TreeMap<>();
    for (StoredMove each : stored.getMovesList()) {
      moves.put(
          new PartitionId(each.getVolumeId()),
          new VolumeMove(
              new ManagerId(each.getManagerId()), each.getFailure(), each.getSinceMillis()));
    }
    SortedSet<ManagerId> draining = new TreeSet<>();
    stored.getDrainingManagersList().forEach(each -> draining.add(new ManagerId(each)));
    SortedSet<OsdId> removed = new TreeSet<>();
    stored.getRemovedOsdsList().forEach(each -> removed.add(new OsdId(each)));
    SortedMap<ManagerId, RemovedManager> removedManagers = new TreeMap<>();
    for (StoredRemovedManager each : stored.getRemovedManagersList()) {
      removedManagers.put(
          new ManagerId(each.getManagerId()),
          new RemovedManager(each.getIdentity(), each.getHost(), each.getRemovedMillis()));
    }
    return new PlacementOrders(
        moves,
        draining,
        removed,
        drains(stored),
        BalanceCodec.balances(stored),
        removedManagers,
        RepairPauseCodec.pause(stored));
  }

  private static SortedMap<OsdId, Long> drains(ConfigurationSnapshot stored) {
    if (stored.getDrainingOsdsCount() != stored.getDrainNumbersCount()) {
      throw new IllegalArgumentException(
          "%d OSDs are drained, and there are numbers of %d drains"
              .formatted(stored.getDrainingOsdsCount(), stored.getDrainNumbersCount()));
    }
    SortedMap<OsdId, Long> drains = new TreeMap<>();
    for (int each = 0; each < stored.getDrainingOsdsCount(); each++) {
      drains.put(new OsdId(stored.getDrainingOsds(each)), stored.getDrainNumbers(each));
    }
    return drains;
  }

  static MoveVolumeCommand stored(Command.MoveVolume command) {
    return MoveVolumeCommand.newBuilder()
        .setPath(command.path())
        .setManagerId(command.manager().value())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(MoveVolumeCommand stored) {
    return new Command.MoveVolume(
        stored.getPath(), new ManagerId(stored.getManagerId()), stored.getNowMillis());
  }

  static EndMoveCommand stored(Command.EndMove command) {
    return EndMoveCommand.newBuilder()
        .setVolumeId(command.volume().value())
        .setManagerId(command.target().value())
        .setFailure(command.failure())
        .build();
  }

  static Command command(EndMoveCommand stored) {
    return new Command.EndMove(
        new PartitionId(stored.getVolumeId()),
        new ManagerId(stored.getManagerId()),
        stored.getFailure());
  }

  static RemoveOsdCommand stored(Command.RemoveOsd command) {
    return RemoveOsdCommand.newBuilder()
        .setOsdId(command.osd().value())
        .setForce(command.force())
        .setClearedDrain(command.clearedDrain())
        .build();
  }

  static Command command(RemoveOsdCommand stored) {
    return new Command.RemoveOsd(
        new OsdId(stored.getOsdId()), stored.getForce(), stored.getClearedDrain());
  }

  static RemoveManagerCommand stored(Command.RemoveManager command) {
    return RemoveManagerCommand.newBuilder()
        .setManagerId(command.manager().value())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(RemoveManagerCommand stored) {
    return new Command.RemoveManager(new ManagerId(stored.getManagerId()), stored.getNowMillis());
  }

  static DrainOsdCommand stored(Command.DrainOsd command) {
    return DrainOsdCommand.newBuilder()
        .setOsdId(command.osd().value())
        .setDraining(command.draining())
        .build();
  }

  static Command command(DrainOsdCommand stored) {
    return new Command.DrainOsd(new OsdId(stored.getOsdId()), stored.getDraining());
  }

  static DrainManagerCommand stored(Command.DrainManager command) {
    return DrainManagerCommand.newBuilder()
        .setManagerId(command.manager().value())
        .setDraining(command.draining())
        .build();
  }

  static Command command(DrainManagerCommand stored) {
    return new Command.DrainManager(new ManagerId(stored.getManagerId()), stored.getDraining());
  }
}
