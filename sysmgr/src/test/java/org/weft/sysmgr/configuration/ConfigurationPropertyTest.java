package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.nfs.NfsExport;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsServed;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.RepairPause;
import org.weft.sysmgr.configuration.stored.AnswerCodec;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/** What holds of the configuration whatever is asked of it (P 5.8, 6.2, 8.1). */
final class ConfigurationPropertyTest {
  private static final int STEPS = 250;

  static LongStream seeds() {
    return LongStream.range(0, 20L * Integer.getInteger("weft.times", 1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void commandsReplayedOnAnotherMemberGiveTheSameStateAndAnswers(long seed) {
    RandomCommands commands = new RandomCommands(seed);
    ReplicatedConfiguration first = new ReplicatedConfiguration();
    List<byte[]> log = new ArrayList<>();
    List<byte[]> answers = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      byte[] command = CommandCodec.encode(commands.draw(first.current()));
      log.add(command);
      answers.add(first.apply(i, command));
    }
    ReplicatedConfiguration second = new ReplicatedConfiguration();
    for (int i = 0; i < STEPS; i++) {
      assertEquals(
          AnswerCodec.decode(answers.get(i)), AnswerCodec.decode(second.apply(i, log.get(i))));
    }
    assertEquals(first.current(), second.current());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aMemberRestoredFromASnapshotGoesOnAlike(long seed) throws Exception {
    RandomCommands commands = new RandomCommands(seed);
    ReplicatedConfiguration first = new ReplicatedConfiguration();
    ReplicatedConfiguration second = new ReplicatedConfiguration();
    for (int i = 0; i < STEPS; i++) {
      byte[] command = CommandCodec.encode(commands.draw(first.current()));
      first.apply(i, command);
      second.apply(i, command);
      if (commands.below(20) == 0) {
        ByteArrayOutputStream saved = new ByteArrayOutputStream();
        second.save(saved);
        second = new ReplicatedConfiguration();
        second.load(new ByteArrayInputStream(saved.toByteArray()));
      }
      assertEquals(first.current(), second.current());
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aCommandSurvivesItsEncoding(long seed) {
    RandomCommands commands = new RandomCommands(seed);
    ConfigurationMachine machine = new ConfigurationMachine();
    for (int i = 0; i < STEPS; i++) {
      Command command = commands.draw(machine.state());
      assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
      CommandResult answer = machine.apply(command);
      assertEquals(answer, AnswerCodec.decode(AnswerCodec.encode(answer)));
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aRepeatedCommandGetsTheSameAnswerAndChangesNothing(long seed) {
    RandomCommands commands = new RandomCommands(seed);
    ConfigurationMachine machine = new ConfigurationMachine();
    for (int i = 0; i < STEPS; i++) {
      Command command = commands.draw(machine.state());
      CommandResult answer = machine.apply(command);
      Configuration after = machine.state();
      assertEquals(answer, machine.apply(command), () -> "repeated: " + command);
      assertEquals(after, machine.state(), () -> "repeated: " + command);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void versionsAndEpochsNeverGoBackAndIdsAreNeverGivenTwice(long seed) {
    RandomCommands commands = new RandomCommands(seed);
    ConfigurationMachine machine = new ConfigurationMachine();
    Map<NodeKey, String> identities = new HashMap<>();
    for (int i = 0; i < STEPS; i++) {
      Configuration before = machine.state();
      Command command = commands.draw(before);
      Decision decision = machine.decide(command);
      assertSame(before, machine.state(), "deciding changed the state");
      CommandResult answer = machine.apply(command);
      Configuration after = machine.state();
      assertEquals(decision.next(), after);
      checkStep(before, after, answer);
      after
          .nodes()
          .forEach(
              (key, node) ->
                  assertEquals(
                      node.identity(), identities.merge(key, node.identity(), (old, now) -> old)));
      checkState(after);
    }
  }

  /** No state is told twice, and a claim of before changes nothing. */
  private static void checkMonitor(NfsMonitor before, NfsMonitor after) {
    assertTrue(after.lastState() >= before.lastState());
    after
        .served()
        .forEach(
            (server, now) -> {
              NfsServed then = before.served().get(server);
              assertEquals(1, now.state() % 2);
              assertTrue(now.state() <= after.lastState());
              assertTrue(
                  then == null
                      || then.claim() == now.claim()
                          && then.state() == now.state()
                          && then.number() <= now.number()
                      || now.state() > before.lastState());
            });
  }

  /** Handles stay good, and none leads into another export than it was made for. */
  private static void checkExports(NfsTable before, NfsTable after) {
    assertEquals(!before.with(after.monitor()).equals(after), after.version() > before.version());
    checkMonitor(before.monitor(), after.monitor());
    assertTrue(before.handleKey().isEmpty() || before.handleKey().equals(after.handleKey()));
    assertTrue(after.lastExportId() >= before.lastExportId());
    after
        .exports()
        .forEach(
            (path, export) -> {
              NfsExport known = before.exports().get(path);
              assertTrue(
                  known == null ? export.id() > before.lastExportId() : export.id() == known.id());
            });
    assertEquals(
        after.exports().size(),
        after.exports().values().stream().map(NfsExport::id).distinct().count());
    assertTrue(after.exports().isEmpty() || after.handleKey().isPresent());
  }

  private static void checkStep(Configuration before, Configuration after, CommandResult answer) {
    if (answer instanceof CommandResult.Refused) {
      assertEquals(before, after, "a refused command changed something");
    }
    assertTrue(after.tableVersion() >= before.tableVersion());
    assertTrue(after.partitionsVersion() >= before.partitionsVersion());
    checkExports(before.nfs(), after.nfs());
    boolean visible =
        !before.nodes().equals(after.nodes()) || !before.volumes().equals(after.volumes());
    assertTrue(!visible || after.tableVersion() > before.tableVersion());
    boolean fenced = !before.partitions().equals(after.partitions());
    assertTrue(!fenced || after.partitionsVersion() > before.partitionsVersion());
    before.volumes().forEach((id, volume) -> checkVolume(volume, after.volumes().get(id), after));
    after
        .volumes()
        .keySet()
        .forEach(
            id ->
                assertTrue(
                    before.volumes().containsKey(id)
                        || id.value() > before.history().lastVolumeId()
                        || before.cluster().isEmpty(),
                    "a volume's id was given twice"));
    before.cluster().ifPresent(cluster -> assertEquals(cluster, after.cluster().orElseThrow()));
    before
        .osds()
        .forEach(
            (id, osd) -> {
              OsdNode now = after.osds().get(id);
              assertTrue(now.node().incarnation() >= osd.node().incarnation());
              assertTrue(now.uncleanMillis() >= osd.uncleanMillis() || now.uncleanMillis() == 0);
              assertTrue(now.quarantine().number() >= osd.quarantine().number());
              boolean back =
                  osd.node().liveness() == Liveness.DOWN && now.node().liveness() != Liveness.DOWN;
              assertTrue(!back || now.quarantine().number() > osd.quarantine().number());
              assertTrue(
                  !now.quarantine().active() || now.node().liveness() != Liveness.UP,
                  "UP in quarantine");
              checkVolumesOf(osd, now, after);
            });
  }

  /** A volume is opened by its manager's word alone, and closed by another quarantine alone. */
  private static void checkVolumesOf(OsdNode before, OsdNode now, Configuration after) {
    SortedSet<PartitionId> both = new TreeSet<>(now.quarantine().open());
    both.retainAll(now.quarantine().closed());
    assertEquals(new TreeSet<>(), both, "open and closed at the same time");
    assertTrue(now.quarantine().active() || now.quarantine().closed().isEmpty());
    assertTrue(now.node().liveness() != Liveness.UP || now.quarantine().open().isEmpty());
    if (!now.quarantine().active()) {
      return;
    }
    SortedSet<PartitionId> closed = new TreeSet<>(now.quarantine().closed());
    if (now.quarantine().number() > before.quarantine().number()) {
      assertEquals(new TreeSet<>(), now.quarantine().open(), "opened before anything is compared");
      after.volumes().values().stream()
          .filter(volume -> volume.bladeSet().equals(now.bladeSet()))
          .forEach(volume -> assertTrue(closed.contains(volume.id()), "not closed by a new one"));
    } else {
      assertTrue(before.quarantine().closed().containsAll(closed), "closed in the midst of one");
    }
  }

  /** Only what is undone, or empty for good, ever goes. */
  private static void checkVolume(Volume before, Volume after, Configuration state) {
    if (after == null) {
      assertTrue(
          before.stage() == VolumeStage.EMPTIED || before.stage() == VolumeStage.FORMATTED,
          () -> "went from stage " + before.stage());
      assertFalse(state.partitions().containsKey(before.id()));
      return;
    }
    assertTrue(after.epoch() >= before.epoch());
    boolean back = before.stage().compareTo(after.stage()) > 0;
    assertTrue(
        !back || (before.stage() == VolumeStage.DELETING && after.stage() == VolumeStage.ACTIVE),
        () -> "from " + before.stage() + " to " + after.stage());
  }

  private static void checkState(Configuration state) {
    state
        .volumes()
        .values()
        .forEach(
            volume ->
                assertEquals(volume.epoch(), state.partitions().get(volume.id()).fenceEpoch()));
    List<Object> addresses = new ArrayList<>();
    state
        .nodes()
        .values()
        .forEach(node -> addresses.addAll(node.addresses().stream().distinct().toList()));
    assertEquals(addresses.stream().distinct().count(), addresses.size(), "an address is shared");
    assertEquals(state.volumes().keySet(), state.partitions().keySet());
    List<String> paths = state.volumes().values().stream().map(Volume::path).toList();
    assertEquals(paths.stream().distinct().count(), paths.size(), "two volumes at one path");
    for (Volume volume : state.volumes().values()) {
      volume
          .life()
          .parent()
          .ifPresent(
              parent ->
                  assertEquals(
                      VolumeStage.ACTIVE,
                      state.volumes().get(parent).stage(),
                      "the volume above one is there as long as it is"));
    }
    state
        .volumes()
        .values()
        .forEach(volume -> assertEquals(state.managers().isEmpty(), volume.owner().isEmpty()));
    for (Volume volume : state.volumes().values()) {
      volume.owner().ifPresent(owner -> assertTrue(state.managers().containsKey(owner)));
      volume
          .backup()
          .manager()
          .ifPresent(backup -> assertTrue(state.managers().containsKey(backup)));
    }
    state
        .history()
        .placement()
        .removedManagers()
        .keySet()
        .forEach(removed -> assertFalse(state.managers().containsKey(removed)));
    state
        .history()
        .placement()
        .repairPause()
        .ifPresent(
            pause -> assertTrue(pause.endMillis() >= pause.sinceMillis() + RepairPause.MIN_MILLIS));
  }

  @Test
  void secretsAreNotShown() {
    Command.Format format = new RandomCommands(1).format();
    ConfigurationMachine machine = new ConfigurationMachine();
    machine.apply(format);
    String key = HexFormat.of().formatHex(format.rootKey().bytes());
    assertFalse(machine.state().toString().contains(key));
    assertTrue(format.toString().contains("***"));
  }
}
