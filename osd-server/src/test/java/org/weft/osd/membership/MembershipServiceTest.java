package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.testkit.process.Await;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/** P 5.8: an OSD has its keys and fences before it serves, and belongs to one cluster for good. */
class MembershipServiceTest {
  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final Environment environment = system.environment();
  private final FakeCluster cluster = FakeCluster.seeded(3).heartbeatMillis(20);

  @AfterEach
  void stop() {
    system.close();
  }

  private FakeSysmgr sysmgr() {
    return FakeSysmgr.start(environment.transport(), cluster);
  }

  private OsdDaemon osd(FakeSysmgr... sysmgrs) throws Exception {
    return OsdDaemon.start(options(sysmgrs), environment);
  }

  private OsdOptions options(FakeSysmgr... sysmgrs) {
    List<Endpoint> addresses = List.of(sysmgrs).stream().map(FakeSysmgr::address).toList();
    return OsdRig.options(directory, cluster, addresses);
  }

  private HeartbeatRequest lastHeartbeat() {
    return cluster.lastHeartbeat(1).orElse(HeartbeatRequest.getDefaultInstance());
  }

  @Test
  void joinsAndReports() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      assertEquals(1, osd.osdId().value());
      JoinRequest join = cluster.joins().get(0);
      assertEquals(osd.address().port(), join.getAddresses(0).getPort());
      assertEquals("host-1", join.getHost());
      assertEquals("", join.getClusterId());
      assertFalse(join.getUnclean());
      Await.that(() -> lastHeartbeat().getCapacityBytes() == OsdRig.CAPACITY_BYTES);
      assertEquals("write-back", lastHeartbeat().getDurability());
      assertEquals(List.of(), lastHeartbeat().getProblemsList());
      assertFalse(lastHeartbeat().getLeaving());
    }
  }

  /** One that listens where SysMgr was, without the join token. */
  @Test
  void believesNothingThatIsNotSignedWithTheJoinToken() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      Await.that(() -> cluster.lastHeartbeat(1).isPresent());
      sysmgr.impersonate(true);
      cluster.quarantine(1, false);
      int said = sysmgr.answers();
      Await.that(() -> sysmgr.answers() > said + 5);
      assertFalse(osd.store().isQuarantined());
      sysmgr.impersonate(false);
      Await.that(() -> osd.store().isQuarantined());
    }
  }

  @Test
  void saysThatItLeavesAndComesBackAsTheSameOsd() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      osd(sysmgr).close();
      assertTrue(lastHeartbeat().getLeaving());
      assertEquals(NodeState.DOWN, cluster.table().getOsds(0).getState());
      try (OsdDaemon again = osd(sysmgr)) {
        assertEquals(1, again.osdId().value());
        JoinRequest first = cluster.joins().get(0);
        JoinRequest second = cluster.joins().get(1);
        assertEquals(first.getIdentity(), second.getIdentity());
        assertEquals(first.getIncarnation() + 1, second.getIncarnation());
        assertEquals(cluster.clusterId().value(), second.getClusterId());
        assertEquals(1, second.getNodeId());
        assertEquals(NodeState.UP, cluster.table().getOsds(0).getState());
      }
    }
  }

  @Test
  void refusesClientsInQuarantineAndSaysWhenItKnowsOfTheEnd() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      try (OsdDaemon osd = osd(sysmgr)) {
        assertFalse(osd.store().isQuarantined());
        cluster.quarantine(1, false);
        Await.that(() -> lastHeartbeat().getQuarantined());
        assertTrue(osd.store().isQuarantined());
        assertEquals(1, lastHeartbeat().getQuarantine());
      }
      cluster.osdState(1, NodeState.QUARANTINED);
      // Known before any client is served, and from the disk.
      try (OsdDaemon again = osd(sysmgr)) {
        assertTrue(again.store().isQuarantined());
        cluster.endQuarantine(1);
        Await.that(() -> !again.store().isQuarantined());
        Await.that(() -> !lastHeartbeat().getQuarantined() && lastHeartbeat().getQuarantine() == 1);
      }
    }
  }

  /** Each volume's manager compares for itself (P 5.8). */
  @Test
  void servesClientsOfComparedPartitionsAlone() throws Exception {
    cluster.addVolume(2, "/two");
    PartitionId first = new PartitionId(FakeCluster.ROOT_VOLUME);
    PartitionId second = new PartitionId(2);
    try (FakeSysmgr sysmgr = sysmgr()) {
      try (OsdDaemon osd = osd(sysmgr)) {
        cluster.quarantine(1, false);
        Await.that(() -> lastHeartbeat().getQuarantined());
        assertTrue(osd.store().refusesClientsOf(first));
        cluster.open(1, 2);
        Await.that(() -> lastHeartbeat().getOpenVolumesList().equals(List.of(2L)));
        assertTrue(osd.store().refusesClientsOf(first));
        assertFalse(osd.store().refusesClientsOf(second));
      }
      cluster.osdState(1, NodeState.QUARANTINED);
      try (OsdDaemon again = osd(sysmgr)) {
        assertTrue(again.store().refusesClientsOf(first));
        assertFalse(again.store().refusesClientsOf(second), "a restart changes nothing");
        cluster.quarantine(1, false);
        Await.that(() -> lastHeartbeat().getQuarantine() == 2);
        assertTrue(again.store().refusesClientsOf(first));
        assertTrue(again.store().refusesClientsOf(second), "what was compared may be old now");
        assertEquals(List.of(), lastHeartbeat().getOpenVolumesList());
        cluster.endQuarantine(1);
        Await.that(() -> !again.store().refusesClientsOf(first));
      }
    }
  }

  /** SysMgr cannot say so itself: it does not hear this OSD, or is not heard (P 5.8). */
  @Test
  void refusesClientsOnceAManagerSaysThatItWasGivenUp() throws Exception {
    try (OsdRig rig = OsdRig.start(directory)) {
      var manager = rig.caps().manager(7);
      rig.caller().givenUp(manager, 7, 5, 1);
      assertFalse(rig.daemon().store().isQuarantined(), "that was another start of it");
      refused(
          ErrorCode.CAPABILITY_INVALID,
          () -> rig.caller().givenUp(rig.caps().client(70_000, Lsn.of(1, 1).value()), 7, 1, 1));
      assertFalse(rig.daemon().store().isQuarantined(), "no client may say so");
      rig.caller().givenUp(manager, 7, 1, 1);
      assertTrue(rig.daemon().store().isQuarantined(), "before it is answered");
      refused(
          ErrorCode.QUARANTINED,
          () -> rig.caller().read(rig.caps().client(70_000, Lsn.of(1, 1).value()), 70_000, 0, 9));
      Await.that(
          () -> rig.cluster().lastHeartbeat(1).map(HeartbeatRequest::getQuarantined).orElse(false));
      assertTrue(rig.daemon().store().isQuarantined(), "an answer of before does not end it");
      rig.cluster().quarantine(1, false);
      rig.cluster().endQuarantine(1);
      Await.that(() -> !rig.daemon().store().isQuarantined());
      rig.caller().givenUp(manager, 7, 1, 1);
      assertFalse(rig.daemon().store().isQuarantined(), "it comes too late");
    }
  }

  @Test
  void findsTheMemberThatLeads() throws Exception {
    try (FakeSysmgr gone = sysmgr();
        FakeSysmgr follower = sysmgr();
        FakeSysmgr leader = sysmgr()) {
      gone.close();
      follower.lead(false);
      try (OsdDaemon osd = osd(gone, follower, leader)) {
        assertEquals(1, osd.osdId().value());
        Await.that(() -> lastHeartbeat().getOsdId() == 1);
      }
    }
  }

  @Test
  void followsTheLeaderWhenItChanges() throws Exception {
    try (FakeSysmgr first = sysmgr();
        FakeSysmgr second = sysmgr()) {
      second.lead(false);
      try (OsdDaemon osd = osd(first, second)) {
        first.lead(false);
        second.lead(true);
        cluster.fence(FakeCluster.ROOT_VOLUME, 6);
        Await.that(() -> fenceKnownTo(osd) == 6);
      }
    }
  }

  private static long fenceKnownTo(OsdDaemon osd) {
    return osd.store().partitions().get(0).fenceEpoch();
  }

  @Test
  void takesKeysAndFencesBeforeItServes() throws Exception {
    cluster.fence(FakeCluster.ROOT_VOLUME, 9);
    cluster.addVolume(2, "/two");
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      assertEquals(9, fenceKnownTo(osd));
      assertEquals(2, osd.store().partitions().size());
    }
  }

  @Test
  void keepsTheLargerFenceWhateverSysMgrSays() throws Exception {
    try (OsdRig rig = OsdRig.start(directory)) {
      rig.caller().fence(rig.caps().manager(7), 7);
      rig.cluster().fence(FakeCluster.ROOT_VOLUME, 6);
      rig.cluster().addVolume(2, "/two");
      Await.that(() -> rig.daemon().store().partitions().size() == 2);
      assertEquals(7, fenceKnownTo(rig.daemon()));
    }
  }

  @Test
  void learnsNewPartitionsKeysAndFencesWithHeartbeats() throws Exception {
    try (OsdRig rig = OsdRig.start(directory)) {
      rig.cluster().addVolume(2, "/two");
      rig.cluster().addKey(FakeCluster.ROOT_VOLUME);
      Await.that(() -> rig.daemon().store().partitions().size() == 2);
      long grant = Lsn.of(1, 1).value();
      byte[] bytes = Blocks.random(1, 100);
      var newKey = Caps.withKeyVersion(rig.caps().clientCapability(70_000, grant), 2);
      var write = writeOf(70_000, grant, 1, 0, bytes).setCreate(TAG);
      rig.caller().write(rig.cluster().sign(newKey), write, bytes);
      rig.caller().read(rig.caps().client(70_000, grant), 70_000, 0, 100);
    }
  }

  @Test
  void joinsAgainWhenSysMgrHasForgottenIt() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      cluster.forgetIncarnation(osd.osdId().value());
      Await.that(() -> cluster.joins().size() == 2);
      assertEquals(
          cluster.joins().get(0).getIncarnation(), cluster.joins().get(1).getIncarnation());
      cluster.fence(FakeCluster.ROOT_VOLUME, 6);
      Await.that(() -> fenceKnownTo(osd) == 6);
    }
  }

  @Test
  void refusesADataDirectoryOfAnotherClusterAndNamesBoth() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      osd(sysmgr).close();
    }
    FakeCluster foreign = FakeCluster.seeded(4);
    try (FakeSysmgr sysmgr = FakeSysmgr.start(environment.transport(), foreign)) {
      var options = OsdRig.options(directory, foreign, List.of(sysmgr.address()));
      String text =
          refused(ErrorCode.WRONG_CLUSTER, () -> OsdDaemon.start(options, environment).close());
      assertTrue(text.contains(cluster.clusterId().value()), text);
      assertTrue(text.contains(foreign.clusterId().value()), text);
    }
  }

  @Test
  void refusesToServeWithAWrongToken() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      var good = options(sysmgr);
      var bad =
          new OsdOptions(
              good.dataDirectory(),
              good.listen(),
              good.advertised(),
              good.sysmgrs(),
              new byte[] {1, 2, 3},
              good.host(),
              good.capacityBytes(),
              1,
              good.durability());
      refused(ErrorCode.UNAUTHENTICATED, () -> OsdDaemon.start(bad, environment).close());
      assertEquals(List.of(), cluster.joins());
    }
  }

  @Test
  void aRefusedStartLeavesTheDirectoryUsable() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      sysmgr.lead(false);
      var good = options(sysmgr);
      var hasty = OsdRig.hasty(good);
      String text =
          refused(ErrorCode.UNAVAILABLE, () -> OsdDaemon.start(hasty, environment).close());
      assertTrue(text.contains(sysmgr.address().toString()), text);
      sysmgr.lead(true);
      try (OsdDaemon osd = OsdDaemon.start(good, environment)) {
        assertEquals(1, osd.osdId().value());
      }
    }
  }

  @Test
  void keepsTheCapacityThatItOfferedFirst() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr()) {
      osd(sysmgr).close();
      var sized = options(sysmgr);
      var unsized =
          new OsdOptions(
              sized.dataDirectory(),
              sized.listen(),
              sized.advertised(),
              sized.sysmgrs(),
              sized.joinToken(),
              sized.host(),
              java.util.OptionalLong.empty(),
              3,
              sized.durability());
      try (OsdDaemon osd = OsdDaemon.start(unsized, environment)) {
        assertEquals(OsdRig.CAPACITY_BYTES, osd.store().status().capacityBytes());
      }
      assertEquals(OsdRig.CAPACITY_BYTES + "\n", Files.readString(directory.resolve("capacity")));
    }
  }

  @Test
  void aSecondOsdOnTheSameDirectoryIsRefused() throws Exception {
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      Throwable refusal = assertThrows(Exception.class, () -> osd(sysmgr).close());
      assertTrue(refusal.getMessage().contains(directory.toString()), refusal.toString());
      assertEquals(Optional.of(osd.osdId()), osd.store().identity().osd());
    }
  }

  @Test
  void dropsAPartitionThatSysmgrHasGivenOutAndNamesNoMore() throws Exception {
    cluster.addVolume(2, "/data");
    cluster.addVolume(3, "/more");
    try (FakeSysmgr sysmgr = sysmgr();
        OsdDaemon osd = osd(sysmgr)) {
      Await.that(() -> lastHeartbeat().getOsdId() == 1);
      cluster.removeVolume(2);
      Await.that(() -> partitionsOnDisk(osd).equals(List.of(1L, 3L)));
      // Not even given out, as this SysMgr says: it must have forgotten something.
      cluster.forgetVolume(3);
      cluster.addKey(FakeCluster.ROOT_VOLUME);
      long version = cluster.partitionsVersion();
      Await.that(() -> lastHeartbeat().getPartitionsVersion() == version);
      assertEquals(List.of(1L, 3L), partitionsOnDisk(osd));
    }
  }

  private static List<Long> partitionsOnDisk(OsdDaemon osd) {
    return osd.store().partitions().stream().map(state -> state.id().value()).toList();
  }
}
