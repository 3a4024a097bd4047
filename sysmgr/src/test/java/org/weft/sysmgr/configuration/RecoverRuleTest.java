package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.sysmgr.configuration.ThreeManagers.FIRST;
import static org.weft.sysmgr.configuration.ThreeManagers.SECOND;
import static org.weft.sysmgr.configuration.ThreeManagers.THIRD;
import static org.weft.sysmgr.configuration.ThreeManagers.refused;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** Recoveries of volumes from their OSDs, as they are recorded (P 6.8e). */
final class RecoverRuleTest {
  private final ThreeManagers managers = ThreeManagers.joined();
  private final ConfigurationMachine machine = managers.machine();

  @BeforeEach
  void start() {
    for (ManagerId each : List.of(FIRST, SECOND, THIRD)) {
      live(each, Liveness.UP);
      machine.apply(new Command.Acquire(each, 1, each.value(), 1, Optional.empty()));
    }
    managers.formatted();
  }

  private void live(ManagerId manager, Liveness liveness) {
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(manager), 1, liveness, false, 0)), 2));
  }

  private Volume root() {
    return managers.root();
  }

  private CommandResult recover(Optional<ManagerId> by, String reason, boolean journalLost) {
    return machine.apply(
        new Command.RecoverVolume("/", by, reason, journalLost, 5, root().epoch()));
  }

  @Test
  void aLivingManagerWithTheJournalPreventsARecovery() {
    String why = refused(ErrorCode.INVALID_ARGUMENT, recover(Optional.empty(), "", false));
    assertTrue(why.contains("manager-1") && why.contains("--force"), why);
    live(FIRST, Liveness.SUSPECT);
    refused(ErrorCode.INVALID_ARGUMENT, recover(Optional.empty(), "", false));
    machine.apply(
        new Command.SetBackup(FIRST, Volume.ROOT, root().epoch(), 1, Optional.of(SECOND)));
    live(FIRST, Liveness.DOWN);
    why = refused(ErrorCode.INVALID_ARGUMENT, recover(Optional.of(THIRD), "", false));
    assertTrue(why.contains("manager-2"), why);
    refused(ErrorCode.INVALID_ARGUMENT, recover(Optional.of(THIRD), "", true));
    assertTrue(root().recovery().isEmpty());
    live(SECOND, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, recover(Optional.of(THIRD), "", false));
  }

  @Test
  void givesTheVolumeANewEpochAndAManager() {
    live(FIRST, Liveness.DOWN);
    long before = root().epoch();
    assertInstanceOf(CommandResult.Done.class, recover(Optional.of(THIRD), "", false));
    assertEquals(Optional.of(THIRD), root().owner());
    assertEquals(before + 1, root().epoch());
    assertEquals(Optional.empty(), root().backup().manager());
    assertEquals(before + 1, root().recovery().orElseThrow().firstEpoch());
    assertEquals(before + 1, machine.state().partitions().get(Volume.ROOT).fenceEpoch());
    CommandResult.Acquired given =
        assertInstanceOf(
            CommandResult.Acquired.class,
            machine.apply(new Command.Acquire(THIRD, 1, 3, 6, Optional.of(Volume.ROOT))));
    assertEquals(List.of(Volume.ROOT), given.volumes());
    assertEquals(before + 1, root().epoch(), "its manager knows the epoch from the table");
  }

  @Test
  void aManagerWithoutTheJournalMayRecoverItsOwnVolume() {
    assertInstanceOf(CommandResult.Done.class, recover(Optional.empty(), "", true));
    assertEquals(Optional.of(FIRST), root().owner(), "the one that has it");
  }

  @Test
  void aReasonOverridesAndIsKept() {
    assertInstanceOf(
        CommandResult.Done.class, recover(Optional.of(SECOND), "it is damaged", false));
    assertEquals("it is damaged", root().recovery().orElseThrow().reason());
  }

  @Test
  void theOrderStandsUntilItIsCarriedOutWhicheverManagerDies() {
    live(FIRST, Liveness.DOWN);
    recover(Optional.of(SECOND), "", false);
    long first = root().recovery().orElseThrow().firstEpoch();
    Configuration once = machine.state();
    assertInstanceOf(CommandResult.Done.class, recover(Optional.empty(), "", false));
    assertSame(once, machine.state(), "a repeat changes nothing");
    machine.apply(new Command.Acquire(SECOND, 1, 22, 6, Optional.empty()));
    assertTrue(root().epoch() > first, "it has started again");
    assertEquals(first, root().recovery().orElseThrow().firstEpoch());
    refused(ErrorCode.FENCED, machine.apply(new Command.Recovered(SECOND, Volume.ROOT, first)));
    live(SECOND, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, recover(Optional.empty(), "", false));
    assertEquals(Optional.of(THIRD), root().owner());
    assertEquals(first, root().recovery().orElseThrow().firstEpoch());
    machine.apply(new Command.Recovered(THIRD, Volume.ROOT, root().epoch()));
    assertEquals(Optional.empty(), root().recovery());
    Configuration done = machine.state();
    machine.apply(new Command.Recovered(THIRD, Volume.ROOT, root().epoch()));
    assertSame(done, machine.state());
  }

  @Test
  void needsAManagerThatIsUp() {
    live(FIRST, Liveness.DOWN);
    live(SECOND, Liveness.DOWN);
    refused(ErrorCode.INVALID_ARGUMENT, recover(Optional.of(SECOND), "", false));
    refused(ErrorCode.NOT_FOUND, recover(Optional.of(new ManagerId(9)), "", false));
    live(THIRD, Liveness.DOWN);
    refused(ErrorCode.UNAVAILABLE, recover(Optional.empty(), "", false));
    refused(
        ErrorCode.NOT_FOUND,
        machine.apply(new Command.RecoverVolume("/no", Optional.empty(), "", false, 5, 0)));
  }

  @Test
  void aVolumeThatWasNeverFormattedIsNotRecovered() {
    machine.apply(
        new Command.CreateVolume("/v", 2, 0, 1, "default", Secret.of(new byte[32]), 5, 5));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        machine.apply(new Command.RecoverVolume("/v", Optional.empty(), "", true, 5, 0)));
  }

  /** Its backup took over in the moment in which the order waited for the lease of the primary. */
  @Test
  void aRecoveryOrderWaitsForTheManagersLease() {
    machine.apply(
        new Command.SetBackup(FIRST, Volume.ROOT, root().epoch(), 1, Optional.of(SECOND)));
    live(FIRST, Liveness.DOWN);
    long before = root().epoch();
    machine.apply(new Command.HandOver(Volume.ROOT, before, FIRST, SECOND));
    assertEquals(Optional.of(SECOND), root().owner());
    CommandResult answer =
        machine.apply(
            new Command.RecoverVolume("/", Optional.of(THIRD), "it is damaged", false, 5, before));
    String why = refused(ErrorCode.INVALID_ARGUMENT, answer);
    assertTrue(why.contains("manager-2"), why);
    assertEquals(Optional.of(SECOND), root().owner());
    assertEquals(before + 1, root().epoch());
    assertTrue(root().recovery().isEmpty());
    assertInstanceOf(CommandResult.Done.class, recover(Optional.of(THIRD), "it is damaged", false));
  }

  @Test
  void anOlderReleaseRefusesASnapshotWithARecoveryOrder() throws Exception {
    assertEquals(2, format());
    live(FIRST, Liveness.DOWN);
    recover(Optional.of(SECOND), "", false);
    assertEquals(3, format());
    machine.apply(new Command.Recovered(SECOND, Volume.ROOT, root().epoch()));
    assertEquals(2, format());
  }

  /** It would drop the pause, and differ from the members that keep it. */
  @Test
  void anOlderReleaseRefusesASnapshotAfterNumberedCommands() throws Exception {
    machine.used(CommandNumbers.OLDEST);
    assertEquals(2, format());
    machine.used(1);
    assertEquals(4, format());
    machine.used(CommandNumbers.NEWEST);
    assertEquals(3 + CommandNumbers.NEWEST, format());
    Configuration restored = Restoration.restored(machine.state(), List.of(), 1);
    assertEquals(3 + CommandNumbers.NEWEST, format(restored));
  }

  private int format() throws Exception {
    return format(machine.state());
  }

  private static int format(Configuration state) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(state, bytes);
    return ConfigurationSnapshot.parseFrom(bytes.toByteArray()).getFormatVersion();
  }

  @Test
  void snapshotsAndCommandsKeepTheRecoveryOrder() throws Exception {
    live(FIRST, Liveness.DOWN);
    recover(Optional.of(SECOND), "why", false);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), bytes);
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray()));
    assertEquals(root().recovery(), read.volumes().get(Volume.ROOT).recovery());
    assertNotEquals(Optional.empty(), root().recovery());
    for (Command command :
        List.of(
            new Command.RecoverVolume("/", Optional.of(SECOND), "why", true, 5, 3),
            new Command.RecoverVolume("/a", Optional.empty(), "", false, 6, 0),
            new Command.Recovered(SECOND, Volume.ROOT, 7))) {
      assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
    }
  }
}
