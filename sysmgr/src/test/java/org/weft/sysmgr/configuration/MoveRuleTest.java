package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.sysmgr.configuration.ThreeManagers.FIRST;
import static org.weft.sysmgr.configuration.ThreeManagers.SECOND;
import static org.weft.sysmgr.configuration.ThreeManagers.THIRD;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** Moves of volumes and drained managers, as they are recorded. */
final class MoveRuleTest {
  private final ThreeManagers managers = ThreeManagers.joined();
  private final ConfigurationMachine machine = managers.machine();

  @BeforeEach
  void start() {
    machine.apply(new Command.Acquire(FIRST, 1, 7, 1, Optional.empty()));
    managers.formatted();
  }

  private Volume root() {
    return managers.root();
  }

  private long epoch() {
    return root().epoch();
  }

  private PlacementOrders placement() {
    return machine.state().history().placement();
  }

  private CommandResult move(ManagerId to) {
    return machine.apply(new Command.MoveVolume("/", to, 5));
  }

  private ErrorCode refusal(CommandResult answer) {
    return assertInstanceOf(CommandResult.Refused.class, answer).code();
  }

  private void handOver(ManagerId from, ManagerId to) {
    machine.apply(new Command.SetBackup(from, Volume.ROOT, epoch(), 100, Optional.of(to)));
    machine.apply(new Command.HandOver(Volume.ROOT, epoch(), from, to));
    assertEquals(Optional.of(to), root().owner());
  }

  @Test
  void aMoveIsOverWhenItsTargetServesTheVolume() {
    long before = machine.state().tableVersion();
    assertInstanceOf(CommandResult.Done.class, move(SECOND));
    assertEquals(SECOND, placement().underWay(Volume.ROOT).orElseThrow().target());
    assertTrue(machine.state().tableVersion() > before, "the primary would not hear of it");
    Configuration once = machine.state();
    move(SECOND);
    assertSame(once, machine.state());
    handOver(FIRST, SECOND);
    assertTrue(placement().moves().isEmpty());
  }

  @Test
  void aMoveGoesOnWhereTheBackupTookOverOnTheWay() {
    move(SECOND);
    handOver(FIRST, THIRD);
    assertEquals(SECOND, placement().underWay(Volume.ROOT).orElseThrow().target());
  }

  @Test
  void aMoveToWhereTheVolumeIsCallsItOff() {
    move(SECOND);
    move(FIRST);
    assertTrue(placement().moves().isEmpty());
  }

  @Test
  void aManagerThatCannotTakeTheVolumeIsRefused() {
    assertEquals(ErrorCode.NOT_FOUND, refusal(move(new ManagerId(9))));
    assertEquals(
        ErrorCode.NOT_FOUND, refusal(machine.apply(new Command.MoveVolume("/no", SECOND, 5))));
    down(SECOND);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(move(SECOND)));
    machine.apply(new Command.DrainManager(THIRD, true));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(move(THIRD)));
  }

  private void down(ManagerId manager) {
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(manager), 1, Liveness.DOWN, true, 0)), 6));
  }

  @Test
  void aMoveThatIsGivenUpSaysWhy() {
    move(SECOND);
    machine.apply(new Command.EndMove(Volume.ROOT, THIRD, "another one"));
    assertTrue(placement().underWay(Volume.ROOT).isPresent());
    machine.apply(new Command.EndMove(Volume.ROOT, SECOND, "it is gone"));
    assertTrue(placement().underWay(Volume.ROOT).isEmpty());
    assertEquals("it is gone", placement().moves().get(Volume.ROOT).failure());
    move(SECOND);
    assertTrue(placement().underWay(Volume.ROOT).isPresent());
  }

  @Test
  void noNewVolumeIsPlacedOnADrainedManager() {
    machine.apply(new Command.DrainManager(SECOND, true));
    SortedSet<ManagerId> owners = new TreeSet<>();
    for (int i = 0; i < 4; i++) {
      machine.apply(
          new Command.CreateVolume(
              "/v" + i, 2, 0, 1, "default", Secret.of(new byte[32]), 50 + i, 5));
    }
    machine.state().volumes().values().forEach(each -> owners.add(each.owner().orElseThrow()));
    assertEquals(new TreeSet<>(List.of(FIRST, THIRD)), owners);
  }

  @Test
  void theLastManagerThatTakesVolumesIsNotDrained() {
    machine.apply(new Command.DrainManager(FIRST, true));
    machine.apply(new Command.DrainManager(SECOND, true));
    assertEquals(
        ErrorCode.INVALID_ARGUMENT, refusal(machine.apply(new Command.DrainManager(THIRD, true))));
  }

  @Test
  void undoingADrainStopsItsPendingMoves() {
    machine.apply(new Command.DrainManager(FIRST, true));
    move(SECOND);
    machine.apply(new Command.DrainManager(FIRST, false));
    assertTrue(placement().moves().isEmpty());
    assertTrue(placement().draining().isEmpty());
  }

  @Test
  void movesAndDrainedManagersAreInSnapshotsAndCommands() throws Exception {
    machine.apply(new Command.DrainManager(THIRD, true));
    move(SECOND);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), written);
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(written.toByteArray()));
    assertEquals(placement(), read.history().placement());
    for (Command each :
        List.of(
            new Command.MoveVolume("/", SECOND, 5),
            new Command.EndMove(Volume.ROOT, SECOND, "why"),
            new Command.DrainManager(FIRST, true))) {
      assertEquals(each, CommandCodec.decode(CommandCodec.encode(each)));
    }
  }
}
