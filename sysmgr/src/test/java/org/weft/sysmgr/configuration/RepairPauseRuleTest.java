package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.RepairPause;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/** When rebuilds pause, what is refused meanwhile, and what is kept of it. */
final class RepairPauseRuleTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final long NOW = 1_800_000_000_000L;
  private static final OsdId FIRST = new OsdId(1);

  private final ConfigurationMachine machine = new ConfigurationMachine();

  @BeforeEach
  void fourOsds() {
    machine.apply(
        new Command.Format(
            new ClusterId("00112233445566778899aabbccddeeff"),
            "test",
            Secret.of(new byte[64]),
            "root",
            Secret.of(new byte[32]),
            1));
    for (int i = 1; i <= 4; i++) {
      machine.apply(
          Joins.of(
              NodeKey.Kind.OSD,
              "o" + i,
              "",
              0,
              List.of(new Endpoint("127.0.0.1", 7400 + i)),
              "host-" + i,
              1,
              0,
              false,
              1));
    }
  }

  private void judge(OsdId osd, Liveness liveness) {
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(osd), 1, liveness, true, 0)), 6));
    assertEquals(liveness, machine.state().osds().get(osd).node().liveness());
  }

  private CommandResult pause(String reason, long nowMillis, long forMillis) {
    return machine.apply(
        new Command.PauseRepairs(reason, "anna", nowMillis, forMillis), nowMillis, "anna");
  }

  private CommandResult resume(long endMillis) {
    return machine.apply(new Command.ResumeRepairs(endMillis), NOW, "");
  }

  private Optional<RepairPause> inForce() {
    return machine.state().history().placement().repairPause();
  }

  private List<String> kinds() {
    return machine.events().events().stream()
        .map(Event::kind)
        .filter(kind -> kind.startsWith("repair-"))
        .toList();
  }

  @Test
  void aPauseIsInTheTableUntilItIsEnded() {
    long before = machine.state().tableVersion();
    assertInstanceOf(CommandResult.Done.class, pause("a switch", NOW, 4 * HOUR));
    assertEquals(Optional.of(new RepairPause("a switch", "anna", NOW, NOW + 4 * HOUR)), inForce());
    long paused = machine.state().tableVersion();
    assertTrue(paused > before, "no manager would hear of it");
    assertInstanceOf(CommandResult.Done.class, resume(Command.ResumeRepairs.ANY));
    assertEquals(Optional.empty(), inForce());
    assertTrue(machine.state().tableVersion() > paused, "no manager would hear of it");
    assertEquals(List.of("repair-paused", "repair-resumed"), kinds());
    Configuration ended = machine.state();
    resume(Command.ResumeRepairs.ANY);
    assertSame(ended, machine.state());
  }

  @Test
  void anotherPauseTakesItsPlaceAndKeepsItsBeginning() {
    pause("a switch", NOW, HOUR);
    pause("a rack", NOW + 5, 2 * HOUR);
    assertEquals(
        Optional.of(new RepairPause("a rack", "anna", NOW, NOW + 5 + 2 * HOUR)), inForce());
    assertEquals(List.of("repair-paused", "repair-paused"), kinds());
  }

  /** The leader saw the time of the first one over while an operator asked for more. */
  @Test
  void theEndOfAPauseThatWasReplacedEndsNothing() {
    pause("a switch", NOW, HOUR);
    pause("a rack", NOW + 5, 2 * HOUR);
    resume(NOW + HOUR);
    assertEquals("a rack", inForce().orElseThrow().reason());
    resume(NOW + 5 + 2 * HOUR);
    assertEquals(Optional.empty(), inForce());
  }

  @Test
  void aPauseWithAWrongLengthOrNoReasonIsRefused() {
    for (long millis : new long[] {-1, 0, RepairPause.MIN_MILLIS - 1, 168 * HOUR + 1}) {
      String words = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, pause("why", NOW, millis));
      assertTrue(words.contains("1 minute to 7 days"), words);
    }
    String words = ThreeManagers.refused(ErrorCode.INVALID_ARGUMENT, pause(" ", NOW, HOUR));
    assertTrue(words.contains("--reason"), words);
    assertEquals(Optional.empty(), inForce());
    assertInstanceOf(CommandResult.Done.class, pause("why", NOW, 168 * HOUR));
  }

  @Test
  void aPauseRefusesDrainsAndAllowsTheirUndo() {
    machine.apply(new Command.DrainOsd(FIRST, true));
    pause("a switch", NOW, HOUR);
    String words =
        ThreeManagers.refused(
            ErrorCode.INVALID_ARGUMENT, machine.apply(new Command.DrainOsd(new OsdId(2), true)));
    assertTrue(words.contains("osd-2 cannot be drained now"), words);
    assertTrue(words.contains("by anna: a switch"), words);
    assertTrue(words.contains("weft repair resume"), words);
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(FIRST, false)));
    resume(Command.ResumeRepairs.ANY);
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(new Command.DrainOsd(new OsdId(2), true)));
  }

  @Test
  void anOsdIsRemovedMeanwhileOnlyIfItHoldsNothing() {
    machine.apply(new Command.DrainOsd(FIRST, true));
    long drain = machine.state().history().placement().drainOf(FIRST);
    pause("a switch", NOW, HOUR);
    judge(FIRST, Liveness.DOWN);
    for (boolean force : new boolean[] {false, true}) {
      String words =
          ThreeManagers.refused(
              ErrorCode.INVALID_ARGUMENT, machine.apply(new Command.RemoveOsd(FIRST, force, 0)));
      assertTrue(words.contains("weft repair resume"), words);
    }
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(new Command.RemoveOsd(FIRST, false, drain)));
  }

  @Test
  void aSnapshotAndACopyForRestorationsKeepIt() throws IOException {
    pause("a switch", NOW, HOUR);
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), snapshot);
    assertEquals(
        machine.state(), SnapshotCodec.read(new ByteArrayInputStream(snapshot.toByteArray())));
    Configuration restored = Restoration.restored(machine.state(), List.of(), 88);
    assertEquals(inForce(), restored.history().placement().repairPause());
  }

  @Test
  void theCommandsSurviveTheirEncoding() {
    for (Command command :
        List.of(
            new Command.PauseRepairs("why", "anna", NOW, HOUR),
            new Command.ResumeRepairs(NOW + HOUR),
            new Command.ResumeRepairs(Command.ResumeRepairs.ANY))) {
      assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
    }
  }
}
