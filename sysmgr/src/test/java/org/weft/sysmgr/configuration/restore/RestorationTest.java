package org.weft.sysmgr.configuration.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.RandomCommands;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** A configuration that is built again from a copy. */
final class RestorationTest {
  private final ConfigurationMachine machine = new ConfigurationMachine();

  private Configuration cluster() {
    machine.apply(new RandomCommands(3).format());
    join(NodeKey.Kind.OSD, "osd-identity-1");
    join(NodeKey.Kind.MANAGER, "manager-identity-1");
    acquire(1);
    acquire(2);
    return machine.state();
  }

  private void join(NodeKey.Kind kind, String identity) {
    machine.apply(
        Joins.of(kind, identity, "", 0, List.of(new Endpoint("h", 1)), "h", 1, 10, false, 1));
  }

  private void acquire(long nonce) {
    machine.apply(
        new Command.Acquire(
            new org.weft.protocol.id.ManagerId(1), 1, nonce, 1, java.util.Optional.empty()));
  }

  private static Restoration.Witness witness(int osd, String identity, long volume, long fence) {
    TreeMap<PartitionId, Long> fences = new TreeMap<>();
    fences.put(new PartitionId(volume), fence);
    return new Restoration.Witness(osd, identity, fences);
  }

  @Test
  void aRestorationJumpsAllNumbersAndCallsAllNodesDown() {
    Configuration copy = cluster();
    List<Restoration.Witness> known = List.of(witness(1, "osd-identity-1", 1, 40));
    Configuration restored = Restoration.restored(copy, known, 5);
    assertTrue(restored.volumes().get(Volume.ROOT).epoch() > 40);
    assertTrue(restored.partitions().get(Volume.ROOT).fenceEpoch() > 40);
    assertTrue(restored.version() > copy.version());
    assertTrue(restored.tableVersion() > copy.tableVersion());
    assertTrue(restored.partitionsVersion() > copy.partitionsVersion());
    assertTrue(restored.lastOsdId() > copy.lastOsdId());
    OsdNode osd = restored.osds().get(new OsdId(1));
    assertEquals(Liveness.DOWN, osd.node().liveness());
    assertTrue(osd.toldQuarantine() > 1);
    assertEquals(copy.cluster(), restored.cluster());
    assertEquals(
        copy.partitions().get(Volume.ROOT).keys(), restored.partitions().get(Volume.ROOT).keys());
  }

  @Test
  void contradictionsOfOsdsWithTheCopyAreFound() {
    Configuration copy = cluster();
    assertEquals(
        List.of(), Restoration.contradictions(copy, List.of(witness(1, "osd-identity-1", 1, 2))));
    assertEquals(
        1, Restoration.contradictions(copy, List.of(witness(1, "osd-identity-1", 1, 3))).size());
    assertEquals(
        1, Restoration.contradictions(copy, List.of(witness(1, "osd-identity-1", 9, 1))).size());
    assertEquals(1, Restoration.contradictions(copy, List.of(witness(2, "other", 1, 1))).size());
  }

  @Test
  void aCopyIsReadBackAndADamagedOneIsRefused() throws IOException {
    Configuration state = cluster();
    byte[] sealed = SealedCopy.seal(state, 7).toByteArray();
    assertEquals(state, SealedCopy.read(sealed).configuration());
    for (int i = 0; i < sealed.length; i += 7) {
      byte[] damaged = sealed.clone();
      damaged[i] ^= 0x10;
      assertThrows(IOException.class, () -> SealedCopy.read(damaged));
    }
  }

  @Test
  void aRestoredConfigurationIsTakenOverOnce() {
    Configuration restored = Restoration.restored(cluster(), List.of(), 5);
    ConfigurationMachine begun = new ConfigurationMachine();
    Command command = CommandCodec.decode(CommandCodec.encode(new Command.Restore(restored)));
    begun.apply(command);
    assertEquals(restored, begun.state());
    begun.apply(new RandomCommands(4).format());
    begun.apply(command);
    assertEquals(restored, begun.state());
  }

  private static final NodeKey OSD = new NodeKey(NodeKey.Kind.OSD, 1);
  private static final NodeKey MANAGER = new NodeKey(NodeKey.Kind.MANAGER, 1);

  /** A machine that goes on with a copy, of a cluster whose nodes have told what they hold. */
  private ConfigurationMachine restoredWithHistories() {
    cluster();
    join(NodeKey.Kind.OSD, "osd-identity-1", new StartProof(11, List.of(11L), 5, 900));
    join(NodeKey.Kind.MANAGER, "manager-identity-1", new StartProof(21, List.of(21L), 0, 700));
    Configuration restored = Restoration.restored(machine.state(), List.of(), 5);
    ConfigurationMachine begun = new ConfigurationMachine();
    begun.apply(CommandCodec.decode(CommandCodec.encode(new Command.Restore(restored))));
    return begun;
  }

  private void join(NodeKey.Kind kind, String identity, StartProof proof) {
    assertInstanceOf(CommandResult.Joined.class, machine.apply(joining(kind, identity, proof)));
  }

  private static Command.Join joining(NodeKey.Kind kind, String identity, StartProof proof) {
    return new Command.Join(
        kind,
        identity,
        "",
        0,
        List.of(new Endpoint("h", 1)),
        "h",
        9,
        10,
        false,
        1,
        "",
        proof,
        NodeHistory.NONE);
  }

  private static CommandResult joins(ConfigurationMachine at, NodeKey.Kind kind, StartProof proof) {
    return at.apply(joining(kind, kind.word() + "-identity-1", proof));
  }

  private static void isOld(CommandResult answer) {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, answer);
    assertEquals(ErrorCode.FENCED, refused.code());
    assertTrue(refused.message().contains("old copy"), refused.message());
  }

  @Test
  void aDirectoryWithLessThanTheCopyKnowsOfIsRefused() {
    ConfigurationMachine begun = restoredWithHistories();
    isOld(joins(begun, NodeKey.Kind.OSD, new StartProof(12, List.of(10L, 12L), 4, 950)));
    isOld(joins(begun, NodeKey.Kind.MANAGER, new StartProof(22, List.of(20L, 22L), 0, 699)));
  }

  @Test
  void aStartNewerThanTheCopyBecomesTheLastStart() {
    ConfigurationMachine begun = restoredWithHistories();
    CommandResult osd =
        joins(begun, NodeKey.Kind.OSD, new StartProof(13, List.of(12L, 13L), 5, 900));
    assertInstanceOf(CommandResult.Joined.class, osd);
    CommandResult manager =
        joins(begun, NodeKey.Kind.MANAGER, new StartProof(23, List.of(23L), 0, 701));
    assertInstanceOf(CommandResult.Joined.class, manager);
    assertTrue(begun.state().histories().get(OSD).isKnown());
    assertTrue(begun.state().histories().get(MANAGER).isKnown());
    isOld(joins(begun, NodeKey.Kind.OSD, new StartProof(14, List.of(11L, 14L), 99, 9_000)));
  }

  @Test
  void aNodeOlderThanTheCopyReturnsWithItsOpeningsFindings() {
    ConfigurationMachine begun = restoredWithHistories();
    CommandResult osd = joins(begun, NodeKey.Kind.OSD, new StartProof(11, List.of(11L), 2, 300));
    assertInstanceOf(CommandResult.Joined.class, osd);
    assertTrue(begun.state().histories().get(OSD).isKnown());
  }

  @Test
  void numbersThatNoClusterReachesAreNotBelieved() {
    Configuration copy = cluster();
    Restoration.Witness liar =
        witness(Integer.MAX_VALUE - 1, "liar", Long.MAX_VALUE - 5, Lsn.MAX_EPOCH);
    Restoration.Witness other = witness(1, "osd-identity-1", 1, Long.MAX_VALUE - 3);
    Configuration restored = Restoration.restored(copy, List.of(liar, other), 5);
    assertTrue(restored.lastOsdId() > copy.lastOsdId());
    assertTrue(restored.lastOsdId() < 10_000);
    long volumes = restored.history().lastVolumeId();
    assertTrue(volumes > copy.history().lastVolumeId() && volumes < 1_000_000, "" + volumes);
    long epoch = restored.volumes().get(Volume.ROOT).epoch();
    assertTrue(epoch > copy.volumes().get(Volume.ROOT).epoch() && epoch < 1L << 30, "" + epoch);
    assertFalse(Restoration.contradictions(copy, List.of(liar)).isEmpty());
  }
}
