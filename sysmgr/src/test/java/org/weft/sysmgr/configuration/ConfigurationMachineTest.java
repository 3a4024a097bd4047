package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/** Single rules of joining, liveness and epochs (P 5.8, 6.2). */
final class ConfigurationMachineTest {
  private static final ManagerId MANAGER = new ManagerId(1);

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final Command.Format format = new RandomCommands(7).format();

  @BeforeEach
  void makeCluster() {
    assertEquals(new CommandResult.Done(), machine.apply(format));
  }

  private static Command.Join osd(String identity, int nodeId, int port, long incarnation) {
    return Joins.of(
        NodeKey.Kind.OSD,
        identity,
        "",
        nodeId,
        List.of(new Endpoint("127.0.0.1", port)),
        "host",
        incarnation,
        100,
        false,
        5_000);
  }

  private static Command.Join manager(String identity, int port) {
    return manager(identity, port, 0);
  }

  private static Command.Join manager(String identity, int port, long incarnation) {
    return Joins.of(
        NodeKey.Kind.MANAGER,
        identity,
        "",
        0,
        List.of(new Endpoint("127.0.0.1", port)),
        "host",
        incarnation,
        0,
        false,
        5_000);
  }

  private CommandResult.Refused refused(ErrorCode code, Command command) {
    CommandResult.Refused refused =
        assertInstanceOf(CommandResult.Refused.class, machine.apply(command));
    assertEquals(code, refused.code(), refused::message);
    return refused;
  }

  private Node osdNode(int id) {
    return machine.state().osds().get(new OsdId(id)).node();
  }

  private Volume root() {
    return machine.state().volumes().get(Volume.ROOT);
  }

  @Test
  void theClusterIsMadeOnceWithARootVolumeAndItsKey() {
    Command.Format second = new RandomCommands(8).format();
    assertEquals(new CommandResult.Done(), machine.apply(second));
    assertEquals(format.clusterId(), machine.state().cluster().orElseThrow().id());
    assertEquals("/", root().path());
    assertEquals(3, root().metaCopies());
    Partition partition = machine.state().partitions().get(Volume.ROOT);
    assertEquals(List.of(new Partition.Key(1, format.rootKey())), partition.keys());
  }

  @Test
  void anIdentityKeepsItsIdWhateverElseChanges() {
    assertEquals(new CommandResult.Joined(1), machine.apply(osd("a", 0, 7400, 1)));
    assertEquals(new CommandResult.Joined(2), machine.apply(osd("b", 0, 7401, 1)));
    assertEquals(new CommandResult.Joined(1), machine.apply(osd("a", 1, 7499, 2)));
    assertEquals(List.of(new Endpoint("127.0.0.1", 7499)), osdNode(1).addresses());
  }

  @Test
  void aNodeOfAnotherClusterIsRefusedWithBothIds() {
    String other = "0123456789abcdef0123456789abcdef";
    Command.Join foreign =
        Joins.of(
            NodeKey.Kind.OSD, "a", other, 3, List.of(new Endpoint("h", 1)), "h", 1, 1, false, 1);
    String message = refused(ErrorCode.WRONG_CLUSTER, foreign).message();
    assertTrue(message.contains(other), message);
    assertTrue(message.contains(format.clusterId().value()), message);
  }

  @Test
  void anUnknownNodeDoesNotGetTheIdItClaims() {
    refused(ErrorCode.INVALID_ARGUMENT, osd("stranger", 4, 7400, 9));
    machine.apply(osd("a", 0, 7400, 1));
    refused(ErrorCode.INVALID_ARGUMENT, osd("a", 2, 7400, 2));
  }

  @Test
  void anOldCopyOfADataDirectoryIsRefused() {
    machine.apply(osd("a", 0, 7400, 5));
    String message = refused(ErrorCode.INVALID_ARGUMENT, osd("a", 1, 7400, 4)).message();
    assertTrue(message.contains("incarnation 5"), message);
  }

  @Test
  void anAddressBelongsToTheNodeThatAnnouncedItLast() {
    machine.apply(osd("lost", 0, 7400, 1));
    machine.apply(osd("replacement", 0, 7400, 1));
    assertEquals(List.of(), osdNode(1).addresses());
    assertEquals(1, osdNode(2).addresses().size());
  }

  @Test
  void anUncleanReturnStandsUntilAManagerHasCompared() {
    machine.apply(osd("a", 0, 7400, 1));
    machine.apply(manager("m", 7310));
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
    machine.apply(new Command.Formatted(MANAGER, Volume.ROOT, 1));
    Command.Join unclean =
        Joins.of(
            NodeKey.Kind.OSD, "a", "", 1, List.of(new Endpoint("h", 1)), "h", 2, 1, true, 77_000);
    machine.apply(unclean);
    machine.apply(osd("a", 1, 7400, 3));
    assertEquals(77_000, machine.state().osds().get(new OsdId(1)).uncleanMillis());
  }

  private Command judged(int osd, long incarnation, Liveness liveness, long partitionsVersion) {
    return new Command.SetLiveness(
        List.of(
            new Command.Judgement(
                new NodeKey(NodeKey.Kind.OSD, osd),
                incarnation,
                liveness,
                false,
                partitionsVersion)),
        9_000);
  }

  @Test
  void aJudgementOfAnEarlierIncarnationIsVoid() {
    machine.apply(osd("a", 0, 7400, 1));
    machine.apply(osd("a", 1, 7400, 2));
    machine.apply(judged(1, 1, Liveness.DOWN, 0));
    assertEquals(Liveness.UP, osdNode(1).liveness());
    machine.apply(judged(1, 2, Liveness.DOWN, 0));
    assertEquals(Liveness.DOWN, osdNode(1).liveness());
    assertEquals(9_000, osdNode(1).sinceMillis());
  }

  private static Command.Join failed(int nodeId, long incarnation) {
    return new Command.Join(
        NodeKey.Kind.OSD,
        "a",
        "",
        nodeId,
        List.of(new Endpoint("127.0.0.1", 7400)),
        "host",
        incarnation,
        100,
        false,
        1_000,
        "no writes",
        StartProof.NONE,
        NodeHistory.NONE);
  }

  @Test
  void anOsdWithAFailedStoreStaysDownUntilRestart() {
    machine.apply(osd("a", 0, 7400, 1));
    machine.apply(manager("m", 7310));
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
    machine.apply(new Command.Formatted(MANAGER, Volume.ROOT, 1));
    machine.apply(failed(1, 1));
    assertEquals(Liveness.DOWN, osdNode(1).liveness());
    assertEquals("no writes", osdNode(1).storeFailure());
    // A join of before that comes late.
    machine.apply(osd("a", 1, 7400, 1));
    assertEquals(Liveness.DOWN, osdNode(1).liveness());
    machine.apply(judged(1, 1, Liveness.UP, machine.state().partitionsVersion()));
    assertEquals(Liveness.DOWN, osdNode(1).liveness());
    machine.apply(osd("a", 1, 7400, 2));
    assertEquals("", osdNode(1).storeFailure());
    assertEquals(1, machine.state().osds().get(new OsdId(1)).quarantine().number());
    assertTrue(machine.state().osds().get(new OsdId(1)).quarantine().lostWrites());
  }

  @Test
  void anOsdComesUpOnlyWithTheNewestFencesStored() {
    machine.apply(osd("a", 0, 7400, 1));
    machine.apply(manager("m", 7310));
    machine.apply(judged(1, 1, Liveness.DOWN, 0));
    long before = machine.state().partitionsVersion();
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
    machine.apply(judged(1, 1, Liveness.UP, before));
    assertEquals(Liveness.DOWN, osdNode(1).liveness());
    machine.apply(judged(1, 1, Liveness.UP, machine.state().partitionsVersion()));
    assertEquals(Liveness.QUARANTINED, osdNode(1).liveness());
  }

  @Test
  void eachStartOfTheRootVolumesManagerIsANewEpoch() {
    machine.apply(manager("m", 7310));
    machine.apply(manager("n", 7311));
    assertEquals(Optional.of(MANAGER), root().owner());
    CommandResult.Acquired all = new CommandResult.Acquired(List.of(Volume.ROOT));
    assertEquals(all, machine.apply(new Command.Acquire(MANAGER, 0, 11, 1, Optional.empty())));
    assertEquals(1, root().epoch());
    assertEquals(all, machine.apply(new Command.Acquire(MANAGER, 0, 11, 2, Optional.empty())));
    assertEquals(1, root().epoch());
    assertEquals(all, machine.apply(new Command.Acquire(MANAGER, 0, 12, 3, Optional.empty())));
    assertEquals(2, root().epoch());
    assertEquals(2, machine.state().partitions().get(Volume.ROOT).fenceEpoch());
    refused(ErrorCode.FENCED, new Command.Acquire(MANAGER, 0, 11, 4, Optional.empty()));
    assertEquals(
        new CommandResult.Acquired(List.of()),
        machine.apply(new Command.Acquire(new ManagerId(2), 0, 13, 5, Optional.empty())));
    assertEquals(2, root().epoch());
  }

  @Test
  void aDeadProcessesRequestDoesNotDeposeItsSuccessor() {
    machine.apply(manager("m", 7310, 4));
    machine.apply(manager("m", 7310, 5));
    machine.apply(new Command.Acquire(MANAGER, 5, 12, 1, Optional.empty()));
    refused(ErrorCode.FENCED, new Command.Acquire(MANAGER, 4, 11, 2, Optional.empty()));
    assertEquals(1, root().epoch());
    assertEquals(
        new CommandResult.Acquired(List.of(Volume.ROOT)),
        machine.apply(new Command.Acquire(MANAGER, 5, 12, 3, Optional.empty())));
    refused(ErrorCode.INVALID_ARGUMENT, manager("m", 7310, 4));
    refused(ErrorCode.NOT_FOUND, new Command.Acquire(MANAGER, 6, 13, 4, Optional.empty()));
  }

  @Test
  void aManagerThatNeverJoinedGetsNothing() {
    refused(ErrorCode.NOT_FOUND, new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
  }

  @Test
  void onlyTheOwnerInItsPresentEpochFormatsAVolume() {
    machine.apply(manager("m", 7310));
    machine.apply(new Command.Acquire(MANAGER, 0, 1, 1, Optional.empty()));
    machine.apply(new Command.Acquire(MANAGER, 0, 2, 2, Optional.empty()));
    refused(ErrorCode.FENCED, new Command.Formatted(MANAGER, Volume.ROOT, 1));
    refused(ErrorCode.FENCED, new Command.Formatted(new ManagerId(2), Volume.ROOT, 2));
    assertEquals(
        new CommandResult.Done(), machine.apply(new Command.Formatted(MANAGER, Volume.ROOT, 2)));
    assertTrue(root().formatted());
  }

  @Test
  void anEntryOfANewerReleaseStopsTheMember() {
    ReplicatedConfiguration replicated = new ReplicatedConfiguration();
    assertThrows(IllegalStateException.class, () -> replicated.apply(1, new byte[] {122, 0}));
  }
}
