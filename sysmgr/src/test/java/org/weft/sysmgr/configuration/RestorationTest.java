package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;

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
        new Command.Join(
            kind, identity, "", 0, List.of(new Endpoint("h", 1)), "h", 1, 10, false, 1));
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
  void everyNumberJumpsPastWhatWasGivenOutAndNobodyIsBelievedToBeUp() {
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
  void whatAnOsdKnowsAndTheCopyDoesNotIsFound() {
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
}
