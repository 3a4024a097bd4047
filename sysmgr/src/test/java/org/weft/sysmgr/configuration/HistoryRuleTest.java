package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** Old copies of data directories are told from the newest (P 5.10). */
class HistoryRuleTest {
  private static final ClusterId CLUSTER = new ClusterId("c".repeat(32));
  private static final NodeKey OSD = new NodeKey(NodeKey.Kind.OSD, 1);
  private static final NodeKey MANAGER = new NodeKey(NodeKey.Kind.MANAGER, 1);
  private final ConfigurationMachine machine = new ConfigurationMachine();

  @BeforeEach
  void makeACluster() {
    machine.apply(
        new Command.Format(
            CLUSTER, "test", Secret.of(new byte[32]), "root", Secret.of(new byte[32]), 1));
    joins(NodeKey.Kind.OSD, 1, new StartProof(11, List.of(11L), 0, 0), NodeHistory.NONE);
    joins(NodeKey.Kind.MANAGER, 1, new StartProof(21, List.of(21L), 0, 0), NodeHistory.NONE);
    machine.apply(new Command.Acquire(new ManagerId(1), 1, 77, 1, Optional.empty()));
    machine.apply(new Command.Formatted(new ManagerId(1), Volume.ROOT, 1));
  }

  private CommandResult joins(
      NodeKey.Kind kind, long incarnation, StartProof proof, NodeHistory heard) {
    return machine.apply(
        new Command.Join(
            kind,
            kind.word(),
            "",
            0,
            List.of(new Endpoint("host", 7000 + kind.ordinal())),
            "host",
            incarnation,
            1 << 30,
            false,
            1,
            "",
            proof,
            heard));
  }

  private CommandResult osdJoins(long incarnation, StartProof proof, NodeHistory heard) {
    return joins(NodeKey.Kind.OSD, incarnation, proof, heard);
  }

  private void isRefused(CommandResult answer, String because) {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, answer);
    assertEquals(ErrorCode.FENCED, refused.code());
    assertTrue(refused.message().contains(because), refused.message());
    assertTrue(refused.message().contains("empty"), "says what to do: " + refused.message());
  }

  private boolean lacksWrites() {
    return machine.state().osds().get(new OsdId(1)).quarantine().lostWrites();
  }

  @Test
  void theNewestDirectoryIsBelieved() {
    NodeHistory heard = new NodeHistory(11, 5, 900);
    CommandResult answer = osdJoins(2, new StartProof(12, List.of(11L, 12L), 5, 900), heard);
    assertInstanceOf(CommandResult.Joined.class, answer);
    assertFalse(lacksWrites());
    assertEquals(12, machine.state().histories().get(OSD).startId());
  }

  @Test
  void restartsDoNotAdmitACopyFromBeforeTheLastStart() {
    osdJoins(2, new StartProof(12, List.of(11L, 12L), 5, 900), NodeHistory.NONE);
    for (long incarnation = 2; incarnation < 9; incarnation++) {
      StartProof copy = new StartProof(100 + incarnation, List.of(11L, 100L + incarnation), 9, 999);
      isRefused(osdJoins(incarnation, copy, NodeHistory.NONE), "old copy");
    }
  }

  @Test
  void theSameStartNumberOfAnotherProcessIsRefused() {
    isRefused(osdJoins(1, new StartProof(13, List.of(13L), 0, 0), NodeHistory.NONE), "copy");
  }

  @Test
  void aCopyWithASmallerCheckpointIsRefusedByAnyHistory() {
    StartProof copy = new StartProof(12, List.of(11L, 12L), 4, 900);
    isRefused(osdJoins(2, copy, new NodeHistory(11, 5, 900)), "checkpoint 4");
    machine.apply(
        new Command.NoteHistories(new TreeMap<>(Map.of(OSD, new NodeHistory(11, 6, 900)))));
    isRefused(osdJoins(2, copy, NodeHistory.NONE), "6 was durable");
  }

  @Test
  void aCopyWithoutUncheckpointedChangesMayLackWrites() {
    machine.apply(
        new Command.NoteHistories(new TreeMap<>(Map.of(OSD, new NodeHistory(11, 5, 900)))));
    assertInstanceOf(
        CommandResult.Joined.class,
        osdJoins(2, new StartProof(12, List.of(11L, 12L), 5, 899), NodeHistory.NONE));
    assertTrue(lacksWrites());
  }

  @Test
  void aRepeatedJoinOfOneProcessIsNoOldCopy() {
    NodeHistory heard = new NodeHistory(11, 5, 900);
    assertInstanceOf(
        CommandResult.Joined.class, osdJoins(1, new StartProof(11, List.of(11L), 0, 0), heard));
  }

  @Test
  void aDirectoryKnowsAStartWhoseAdmissionItMissed() {
    osdJoins(2, new StartProof(12, List.of(11L, 12L), 0, 0), NodeHistory.NONE);
    assertInstanceOf(
        CommandResult.Joined.class,
        osdJoins(3, new StartProof(13, List.of(11L, 12L, 13L), 0, 0), NodeHistory.NONE));
  }

  @Test
  void wordsOfAnotherStartCountForNothing() {
    machine.apply(
        new Command.NoteHistories(new TreeMap<>(Map.of(OSD, new NodeHistory(10, 50, 9_000)))));
    assertInstanceOf(
        CommandResult.Joined.class,
        osdJoins(2, new StartProof(12, List.of(11L, 12L), 5, 900), new NodeHistory(10, 50, 9_000)));
    assertFalse(lacksWrites());
  }

  @Test
  void aManagersOldCopyIsRefused() {
    joins(NodeKey.Kind.MANAGER, 2, new StartProof(22, List.of(21L, 22L), 0, 0), NodeHistory.NONE);
    isRefused(
        joins(
            NodeKey.Kind.MANAGER, 3, new StartProof(31, List.of(21L, 31L), 0, 0), NodeHistory.NONE),
        "old copy");
    isRefused(
        joins(
            NodeKey.Kind.MANAGER,
            3,
            new StartProof(23, List.of(22L, 23L), 0, 7),
            new NodeHistory(22, 0, 8)),
        "7 changes");
  }

  @Test
  void anOlderReleaseJoinsAsBefore() {
    assertInstanceOf(CommandResult.Joined.class, osdJoins(2, StartProof.NONE, NodeHistory.NONE));
    assertFalse(machine.state().histories().containsKey(OSD));
    assertInstanceOf(
        CommandResult.Joined.class,
        osdJoins(3, new StartProof(14, List.of(14L), 0, 0), NodeHistory.NONE));
  }

  @Test
  void heardStartsSurviveSnapshotsAndStayOutOfTables() throws Exception {
    long table = machine.state().tableVersion();
    Command.NoteHistories note =
        new Command.NoteHistories(
            new TreeMap<>(
                Map.of(OSD, new NodeHistory(11, 5, 900), MANAGER, new NodeHistory(21, 0, 7))));
    assertEquals(note, CommandCodec.decode(CommandCodec.encode(note)));
    machine.apply(note);
    assertEquals(table, machine.state().tableVersion());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), bytes);
    assertEquals(
        machine.state(), SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())));
  }
}
