package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.RemoveOsdCommand;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/** Which OSDs an operator may give up. */
final class RemoveOsdRuleTest {
  private static final OsdId FIRST = new OsdId(1);
  private static final OsdId SECOND = new OsdId(2);
  private static final OsdId THIRD = new OsdId(3);
  private static final OsdId ELSEWHERE = new OsdId(4);

  private final ConfigurationMachine machine = new ConfigurationMachine();

  @BeforeEach
  void start() {
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
          new Command.Join(
              NodeKey.Kind.OSD,
              "o" + i,
              "",
              0,
              List.of(new Endpoint("127.0.0.1", 7400 + i)),
              "host-" + i,
              1,
              0,
              false,
              1,
              "",
              StartProof.NONE,
              NodeHistory.NONE));
    }
    assertEquals(4, machine.state().osds().size());
  }

  private void judge(OsdId osd, Liveness liveness) {
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(osd), 1, liveness, true, 0)), 6));
    assertEquals(liveness, machine.state().osds().get(osd).node().liveness());
  }

  private CommandResult remove(OsdId osd, boolean force) {
    return machine.apply(new Command.RemoveOsd(osd, force, 0));
  }

  private Set<OsdId> removed() {
    return machine.state().history().placement().removed();
  }

  @Test
  void theOnlyDownOsdIsRemoved() {
    judge(FIRST, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, remove(FIRST, false));
    assertEquals(Set.of(FIRST), removed());
  }

  @Test
  void forceDoesNotRemoveAnUpOsd() {
    assertInstanceOf(CommandResult.Refused.class, remove(FIRST, true));
    assertTrue(removed().isEmpty());
  }

  @Test
  void removalIsRefusedWhileOtherOsdsAreAway() {
    judge(FIRST, Liveness.DOWN);
    judge(SECOND, Liveness.SUSPECT);
    judge(THIRD, Liveness.DOWN);
    CommandResult.Refused refused =
        assertInstanceOf(CommandResult.Refused.class, remove(FIRST, false));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    String words = refused.message();
    assertTrue(words.contains("osd-2 is SUSPECT, osd-3 is DOWN; start them first"), words);
    assertTrue(words.contains("--force"), words);
    assertTrue(removed().isEmpty());
  }

  @Test
  void forceRemovesItThen() {
    judge(FIRST, Liveness.DOWN);
    judge(SECOND, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, remove(FIRST, true));
    assertEquals(Set.of(FIRST), removed());
    // The first one is given up already, and is not waited for.
    assertInstanceOf(CommandResult.Done.class, remove(SECOND, false));
    assertEquals(Set.of(FIRST, SECOND), removed());
  }

  @Test
  void aRepeatedRemovalIgnoresOtherLosses() {
    judge(FIRST, Liveness.DOWN);
    remove(FIRST, false);
    judge(SECOND, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, remove(FIRST, false));
  }

  @Test
  void anotherBladeSetDoesNotMatter() {
    judge(FIRST, Liveness.DOWN);
    judge(ELSEWHERE, Liveness.DOWN);
    Command.RemoveOsd command = new Command.RemoveOsd(FIRST, false, 0);
    assertInstanceOf(
        CommandResult.Refused.class, RemoveOsdRule.decide(machine.state(), command).answer());
    OsdNode osd = machine.state().osds().get(ELSEWHERE);
    ConfigurationDraft draft = new ConfigurationDraft(machine.state());
    draft.osds.put(
        ELSEWHERE,
        new OsdNode(
            ELSEWHERE,
            osd.node(),
            "other",
            osd.capacityBytes(),
            osd.uncleanMillis(),
            osd.quarantine(),
            osd.unusable()));
    assertInstanceOf(
        CommandResult.Done.class, RemoveOsdRule.decide(draft.freeze(), command).answer());
  }

  @Test
  void theCommandKeepsForceAndOldOnesHaveNone() throws Exception {
    for (boolean force : List.of(false, true)) {
      Command.RemoveOsd each = new Command.RemoveOsd(FIRST, force, force ? 0 : 8);
      assertEquals(each, CommandCodec.decode(CommandCodec.encode(each)));
    }
    assertFalse(RemoveOsdCommand.newBuilder().setOsdId(1).build().getForce());
  }

  @Test
  void anEmptyDrainedOsdIsRemovedWhileOthersAreAway() {
    judge(FIRST, Liveness.DOWN);
    judge(SECOND, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(FIRST, true)));
    Command.RemoveOsd empty = new Command.RemoveOsd(FIRST, false, drain());
    machine.apply(new Command.DrainOsd(FIRST, false));
    assertInstanceOf(CommandResult.Refused.class, machine.apply(empty), "it is not drained");
    machine.apply(new Command.DrainOsd(FIRST, true));
    assertInstanceOf(
        CommandResult.Refused.class, machine.apply(empty), "that was said of another drain");
    assertInstanceOf(
        CommandResult.Refused.class, remove(FIRST, false), "no manager said that it is empty");
    long last = drain();
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(new Command.RemoveOsd(FIRST, false, last)));
    assertEquals(last, drain(), "what was found of the drain is true still");
    assertEquals(Set.of(FIRST), removed());
    assertEquals(Set.of(), draining());
  }

  private long drain() {
    return machine.state().history().placement().drainOf(FIRST);
  }

  private Set<OsdId> draining() {
    return machine.state().history().placement().drainingOsds();
  }

  @Test
  void anOsdIsDrainedUntilThatIsUndone() throws Exception {
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(FIRST, true)));
    long version = machine.state().tableVersion();
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(FIRST, true)));
    assertEquals(version, machine.state().tableVersion(), "a repeat changes nothing");
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), written);
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(written.toByteArray()));
    assertEquals(machine.state().history().placement(), read.history().placement());
    assertEquals(Set.of(FIRST), read.history().placement().drainingOsds());
    Configuration restored = Restoration.restored(read, List.of(), 9);
    long number = restored.history().placement().drainOf(FIRST);
    assertTrue(number > drain() && number <= restored.tableVersion(), "it is drained anew");
    Command.DrainOsd undo = new Command.DrainOsd(FIRST, false);
    assertEquals(undo, CommandCodec.decode(CommandCodec.encode(undo)));
    assertInstanceOf(CommandResult.Done.class, machine.apply(undo));
    assertEquals(Set.of(), draining());
  }

  @Test
  void theOnlyOsdIsNotDrained() {
    judge(FIRST, Liveness.DOWN);
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(FIRST, true)));
    assertInstanceOf(CommandResult.Done.class, machine.apply(new Command.DrainOsd(SECOND, true)));
    CommandResult.Refused refused =
        assertInstanceOf(
            CommandResult.Refused.class, machine.apply(new Command.DrainOsd(ELSEWHERE, true)));
    assertTrue(refused.message().contains("1 are up and not drained"), refused.message());
    assertTrue(refused.message().contains("weft osd drain --undo"), refused.message());
    machine.apply(new Command.DrainOsd(SECOND, false));
    remove(FIRST, false);
    assertInstanceOf(CommandResult.Refused.class, machine.apply(new Command.DrainOsd(FIRST, true)));
    assertInstanceOf(
        CommandResult.Refused.class, machine.apply(new Command.DrainOsd(new OsdId(9), true)));
    judge(THIRD, Liveness.SUSPECT);
    assertInstanceOf(
        CommandResult.Refused.class,
        machine.apply(new Command.DrainOsd(ELSEWHERE, true)),
        "one is away");
  }
}
