package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.sysmgr.configuration.ThreeManagers.FIRST;
import static org.weft.sysmgr.configuration.ThreeManagers.SECOND;
import static org.weft.sysmgr.configuration.ThreeManagers.THIRD;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.RemovedManager;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** Which managers an operator may remove, and what is left of them. */
final class RemoveManagerRuleTest {
  private static final long PAST = 11;

  private final ThreeManagers managers =
      ThreeManagers.joined(1, id -> new StartProof(PAST * id, List.of(PAST * id), 0, 0));
  private final ConfigurationMachine machine = managers.machine();

  @BeforeEach
  void theFirstServesTheRootVolume() {
    machine.apply(new Command.Acquire(FIRST, 1, 7, 1, Optional.empty()));
    managers.formatted();
    assertEquals(Optional.of(FIRST), managers.root().owner());
  }

  private void judge(ManagerId manager, Liveness liveness) {
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(manager), 1, liveness, true, 0)), 6));
    assertEquals(liveness, machine.state().managers().get(manager).node().liveness());
  }

  private CommandResult remove(ManagerId manager) {
    return machine.apply(new Command.RemoveManager(manager, 77));
  }

  private void backup(long number, ManagerId... named) {
    Optional<ManagerId> backup = named.length == 0 ? Optional.empty() : Optional.of(named[0]);
    assertInstanceOf(
        CommandResult.Done.class,
        machine.apply(
            new Command.SetBackup(FIRST, Volume.ROOT, managers.root().epoch(), number, backup)));
  }

  private Set<ManagerId> removed() {
    return machine.state().history().placement().removedManagers().keySet();
  }

  private static Command.Join join(ManagerId manager, int nodeId, long incarnation) {
    return Joins.of(
        NodeKey.Kind.MANAGER,
        "m" + manager,
        "00112233445566778899aabbccddeeff",
        nodeId,
        List.of(new Endpoint("127.0.0.1", 7310 + manager.value())),
        "host-" + manager,
        incarnation,
        0,
        false,
        9);
  }

  @Test
  void aDownUnnamedManagerLeavesTheTable() {
    judge(SECOND, Liveness.DOWN);
    long before = machine.state().tableVersion();
    assertInstanceOf(CommandResult.Done.class, remove(SECOND));
    assertEquals(Set.of(FIRST, THIRD), machine.state().managers().keySet());
    assertTrue(machine.state().tableVersion() > before, "no daemon would hear of it");
    assertEquals(
        new RemovedManager("m2", "host-2", 77),
        machine.state().history().placement().removedManagers().get(SECOND));
    assertFalse(machine.state().histories().containsKey(NodeKey.of(SECOND)));
    assertTrue(machine.state().histories().containsKey(NodeKey.of(THIRD)));
  }

  @Test
  void aRepeatChangesNothing() {
    judge(SECOND, Liveness.DOWN);
    remove(SECOND);
    Configuration once = machine.state();
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(new Command.RemoveManager(SECOND, 99)));
    assertSame(once, machine.state());
  }

  @Test
  void anUnknownManagerIsNotFound() {
    ThreeManagers.refused(ErrorCode.NOT_FOUND, remove(new ManagerId(9)));
  }

  @Test
  void aRunningManagerMustBeStoppedFirst() {
    String up = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, remove(SECOND));
    assertTrue(up.contains("manager-2 is UP") && up.contains("stop its process first"), up);
    judge(SECOND, Liveness.SUSPECT);
    String suspect = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, remove(SECOND));
    assertTrue(suspect.contains("manager-2 is SUSPECT"), suspect);
    assertTrue(removed().isEmpty());
  }

  @Test
  void aPrimaryThatIsUpIsToBeDrainedFirst() {
    String words = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, remove(FIRST));
    assertTrue(words.contains("the primary of volume /: drain it first"), words);
    assertTrue(words.contains("weft manager drain manager-1"), words);
  }

  /** What was acknowledged is in that journal alone. */
  @Test
  void theManagerOfTheOnlyJournalIsNotRemoved() {
    judge(FIRST, Liveness.DOWN);
    String words = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, remove(FIRST));
    assertTrue(words.contains("the only copy of the journal of volume / lies there"), words);
    assertTrue(words.contains("weft volume recover /"), words);
    assertEquals(Optional.of(FIRST), managers.root().owner());
    assertTrue(removed().isEmpty());
  }

  @Test
  void aPrimaryThatIsDownWaitsForItsBackup() {
    backup(1, THIRD);
    judge(FIRST, Liveness.DOWN);
    judge(THIRD, Liveness.DOWN);
    String words = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, remove(FIRST));
    assertTrue(words.contains("start manager-3, then remove manager-1"), words);
    machine.apply(new Command.HandOver(Volume.ROOT, managers.root().epoch(), FIRST, THIRD));
    // It is the backup now, of one that is to name another.
    ThreeManagers.refused(ErrorCode.UNAVAILABLE, remove(FIRST));
  }

  @Test
  void aBackupIsRemovedOnceThePrimaryNamesItNoMore() {
    backup(1, SECOND);
    judge(SECOND, Liveness.DOWN);
    String words = ThreeManagers.refused(ErrorCode.UNAVAILABLE, remove(SECOND));
    assertTrue(words.contains("the backup of volume /") && words.contains("manager-1"), words);
    backup(2, THIRD);
    assertInstanceOf(CommandResult.Done.class, remove(SECOND));
    assertEquals(Set.of(SECOND), removed());
  }

  @Test
  void aRemovedManagerCannotJoinAgain() {
    judge(SECOND, Liveness.DOWN);
    remove(SECOND);
    for (int nodeId : new int[] {0, 2}) {
      String words =
          ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, machine.apply(join(SECOND, nodeId, 5)));
      assertTrue(words.contains("manager-2 was removed from the cluster"), words);
      assertTrue(words.contains("an empty data directory"), words);
    }
    assertEquals(Set.of(FIRST, THIRD), machine.state().managers().keySet());
  }

  /** A release that does not know of the removal has the row no more either. */
  @Test
  void aReleaseThatForgetsTheRemovalRefusesItAsUnknown() throws IOException {
    judge(SECOND, Liveness.DOWN);
    remove(SECOND);
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), snapshot);
    byte[] forgotten =
        ConfigurationSnapshot.parseFrom(snapshot.toByteArray()).toBuilder()
            .clearRemovedManagers()
            .build()
            .toByteArray();
    ConfigurationMachine older =
        new ConfigurationMachine(SnapshotCodec.read(new ByteArrayInputStream(forgotten)));
    assertTrue(older.state().history().placement().removedManagers().isEmpty());
    String words =
        ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, older.apply(join(SECOND, 2, 5)));
    assertTrue(words.contains("this cluster knows no such identity"), words);
  }

  @Test
  void aRemovedManagersNumberIsNotReused() {
    judge(THIRD, Liveness.DOWN);
    remove(THIRD);
    CommandResult.Joined next =
        assertInstanceOf(CommandResult.Joined.class, machine.apply(join(new ManagerId(4), 0, 1)));
    assertEquals(4, next.nodeId());
  }

  @Test
  void lateCommandsDoNotBringBackARemovedManager() {
    backup(1, THIRD);
    backup(2);
    judge(THIRD, Liveness.DOWN);
    remove(THIRD);
    Configuration without = machine.state();
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(THIRD), 1, Liveness.UP, false, 0)), 9));
    long epoch = managers.root().epoch();
    ThreeManagers.refused(
        ErrorCode.INVALID_ARGUMENT,
        machine.apply(new Command.SetBackup(FIRST, Volume.ROOT, epoch, 3, Optional.of(THIRD))));
    ThreeManagers.refused(
        ErrorCode.FENCED, machine.apply(new Command.HandOver(Volume.ROOT, epoch, FIRST, THIRD)));
    ThreeManagers.refused(
        ErrorCode.NOT_FOUND, machine.apply(new Command.MoveVolume("/", THIRD, 9)));
    ThreeManagers.refused(
        ErrorCode.NOT_FOUND, machine.apply(new Command.DrainManager(THIRD, true)));
    ThreeManagers.refused(
        ErrorCode.NOT_FOUND, machine.apply(new Command.Acquire(THIRD, 1, 70, 9, Optional.empty())));
    assertEquals(without, machine.state());
  }

  @Test
  void aDrainedManagersRemovalIsOneEvent() {
    machine.apply(new Command.DrainManager(SECOND, true), 5, "anna");
    judge(SECOND, Liveness.DOWN);
    machine.apply(new Command.RemoveManager(SECOND, 77), 77, "anna");
    assertTrue(machine.state().history().placement().draining().isEmpty());
    List<Event> events = machine.events().events();
    Event last = events.get(events.size() - 1);
    assertEquals("manager-removed", last.kind());
    assertEquals("manager-2", last.subject());
    assertEquals("anna", last.user());
    assertTrue(last.what().contains("ran on host-2"), last::what);
    assertTrue(events.stream().noneMatch(each -> each.kind().equals("manager-drain-called-off")));
  }

  @Test
  void aSnapshotAndACopyForRestorationsKeepIt() throws IOException {
    judge(SECOND, Liveness.DOWN);
    remove(SECOND);
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), snapshot);
    assertEquals(
        machine.state(), SnapshotCodec.read(new ByteArrayInputStream(snapshot.toByteArray())));
    Configuration restored = Restoration.restored(machine.state(), List.of(), 88);
    assertEquals(
        machine.state().history().placement().removedManagers(),
        restored.history().placement().removedManagers());
    ThreeManagers.refused(
        ErrorCode.INVALID_ARGUMENT, new ConfigurationMachine(restored).apply(join(SECOND, 2, 5)));
  }

  @Test
  void theCommandSurvivesItsEncoding() {
    Command command = new Command.RemoveManager(SECOND, 77);
    assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
  }
}
