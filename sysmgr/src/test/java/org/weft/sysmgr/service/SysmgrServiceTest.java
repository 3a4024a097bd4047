package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;

/** SysMgr's requests, its leases and its leaders, on virtual time (P 5.8, 6.2). */
final class SysmgrServiceTest {
  private static final String OTHER = "0123456789abcdef0123456789abcdef";

  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(42, 3);

  @BeforeEach
  void start() {
    sysmgr.awaitCluster();
  }

  private static HeartbeatRequest.Builder osdBeat(int id, long partitionsVersion) {
    return HeartbeatRequest.newBuilder()
        .setOsdId(id)
        .setIncarnation(1)
        .setCapacityBytes(1000)
        .setUsedBytes(10)
        .setPartitionsVersion(partitionsVersion)
        .setDurability("write-back");
  }

  private static HeartbeatRequest.Builder managerBeat(int id, long epoch) {
    return HeartbeatRequest.newBuilder()
        .setManagerId(id)
        .addVolumes(VolumeHealth.newBuilder().setVolumeId(1).setEpoch(epoch).setState("serving"));
  }

  private NodeState osdState(int member, int id) throws WeftException {
    return sysmgr.table(member).getOsdsList().stream()
        .filter(osd -> osd.getOsdId() == id)
        .findFirst()
        .orElseThrow()
        .getState();
  }

  @Test
  void anUnsignedOrWronglySignedRequestIsRefused() {
    var join = SimulatedSysmgr.join("a", 7400, 1).build();
    sysmgr.failure(ErrorCode.UNAUTHENTICATED, sysmgr.ask(1, Opcode.JOIN_OSD, join, null));
    sysmgr.failure(ErrorCode.UNAUTHENTICATED, sysmgr.ask(1, Opcode.JOIN_OSD, join, new byte[32]));
    assertTrue(sysmgr.state(1).osds().isEmpty());
  }

  @Test
  void anOsdGetsItsIdAndEveryPartitionsKeys() throws Exception {
    JoinReply reply = sysmgr.joinOsd(1, "a", 7400, 1);
    assertEquals(1, reply.getNodeId());
    assertEquals(sysmgr.state(1).cluster().orElseThrow().id().value(), reply.getClusterId());
    assertEquals(1, reply.getPartitionsCount());
    assertEquals(32, reply.getPartitions(0).getKeys(0).getKey().size());
    assertEquals(1, sysmgr.joinOsd(1, "a", 7400, 1).getNodeId());
    assertEquals(2, sysmgr.joinOsd(1, "b", 7401, 1).getNodeId());
  }

  @Test
  void anOsdOfAnotherClusterIsRefusedWithBothIds() {
    var join = SimulatedSysmgr.join("a", 7400, 1).setClusterId(OTHER).setNodeId(1).build();
    String message =
        sysmgr.failure(
            ErrorCode.WRONG_CLUSTER, sysmgr.ask(1, Opcode.JOIN_OSD, join, sysmgr.secret()));
    assertTrue(message.contains(OTHER), message);
    ClusterId own = sysmgr.state(1).cluster().orElseThrow().id();
    assertTrue(message.contains(own.value()), message);
  }

  @Test
  void whatANodeMaySayOfItselfHasLimits() {
    for (var join :
        List.of(
            SimulatedSysmgr.join("", 7400, 1),
            SimulatedSysmgr.join("<script>", 7400, 1),
            SimulatedSysmgr.join("a", 0, 1),
            SimulatedSysmgr.join("a", 7400, 1).clearAddresses(),
            SimulatedSysmgr.join("a", 7400, 1).setHost("h".repeat(256)))) {
      sysmgr.failure(
          ErrorCode.INVALID_ARGUMENT,
          sysmgr.ask(1, Opcode.JOIN_OSD, join.build(), sysmgr.secret()));
    }
    sysmgr.failure(
        ErrorCode.INVALID_ARGUMENT,
        sysmgr.ask(1, Opcode.HEARTBEAT, HeartbeatRequest.getDefaultInstance(), sysmgr.secret()));
    sysmgr.failure(
        ErrorCode.UNSUPPORTED,
        sysmgr.ask(1, Opcode.OPEN_FILE, Empty.getDefaultInstance(), sysmgr.secret()));
  }

  @Test
  void heartbeatDoesNotWaitForUnsignedQuestions() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    List<CompletableFuture<RpcReply>> questions = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      questions.add(sysmgr.ask(1, Opcode.GET_STATUS, Empty.getDefaultInstance(), null));
    }
    CompletableFuture<RpcReply> beat =
        sysmgr.ask(1, Opcode.HEARTBEAT, osdBeat(1, 1).build(), sysmgr.secret());
    AtomicLong answeredBefore = new AtomicLong(-1);
    var unused =
        beat.thenRun(
            () -> answeredBefore.set(questions.stream().filter(CompletableFuture::isDone).count()));
    sysmgr.time.runUntil("the heartbeat is answered", beat::isDone);
    beat.join();
    assertTrue(answeredBefore.get() < 400, answeredBefore::toString);
    sysmgr.time.runUntil(
        "all are answered", () -> questions.stream().allMatch(CompletableFuture::isDone));
    questions.forEach(CompletableFuture::join);
  }

  @Test
  void theTableIsOpenToAllAndSentOnlyIfNewer() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    long version = sysmgr.table(1).getVersion();
    GetTableReply same =
        sysmgr
            .time
            .await(
                sysmgr.ask(
                    1,
                    Opcode.GET_TABLE,
                    GetTableRequest.newBuilder().setKnownVersion(version).build(),
                    null))
            .parse(GetTableReply.parser());
    assertTrue(same.getUnchanged());
    sysmgr.joinOsd(1, "b", 7401, 1);
    assertTrue(sysmgr.table(1).getVersion() > version);
  }

  @Test
  void aSilentOsdGoesDownAndReturnsWithTheNewestFences() throws Exception {
    long stored = sysmgr.joinOsd(1, "a", 7400, 1).getPartitionsVersion();
    sysmgr.joinManager(1, "m", 7310);
    long before = sysmgr.table(1).getVersion();
    sysmgr.seconds(3.5);
    assertEquals(NodeState.SUSPECT, osdState(1, 1));
    sysmgr.seconds(3);
    assertEquals(NodeState.DOWN, osdState(1, 1));
    assertTrue(sysmgr.table(1).getVersion() >= before + 2);

    sysmgr.acquire(1, 1, 7);
    HeartbeatReply reply = sysmgr.beat(1, osdBeat(1, stored));
    assertEquals(1, reply.getPartitions(0).getFenceEpoch());
    sysmgr.seconds(1);
    assertEquals(NodeState.DOWN, osdState(1, 1), "it has not stored the fence yet");
    HeartbeatReply second = sysmgr.beat(1, osdBeat(1, reply.getPartitionsVersion()));
    assertEquals(0, second.getPartitionsCount());
    assertTrue(second.getQuarantined());
    sysmgr.seconds(1);
    assertEquals(NodeState.QUARANTINED, osdState(1, 1));
    // No volume is formatted: it is readmitted at once, and up when it has said that it knows.
    HeartbeatReply third = sysmgr.beat(1, osdBeat(1, reply.getPartitionsVersion()));
    assertEquals(1, third.getQuarantine());
    assertFalse(third.getQuarantined());
    var unused = sysmgr.beat(1, osdBeat(1, reply.getPartitionsVersion()).setQuarantine(1));
    sysmgr.seconds(1);
    assertEquals(NodeState.UP, osdState(1, 1));
    assertEquals(10, sysmgr.table(1).getOsds(0).getUsedBytes());
  }

  private ReadmitOsdRequest.Builder readmission(long epoch, long incarnation, long quarantine) {
    return ReadmitOsdRequest.newBuilder()
        .setManagerId(1)
        .setVolumeId(1)
        .setEpoch(epoch)
        .setOsdId(1)
        .setIncarnation(incarnation)
        .setQuarantine(quarantine);
  }

  @Test
  void aReturnedOsdServesManagersOnlyUntilAllComparedIt() throws Exception {
    long stored = sysmgr.joinOsd(1, "a", 7400, 1).getPartitionsVersion();
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    VolumeFormattedRequest formatted =
        VolumeFormattedRequest.newBuilder().setManagerId(1).setVolumeId(1).setEpoch(1).build();
    sysmgr.call(1, Opcode.VOLUME_FORMATTED, formatted, Empty.parser());
    sysmgr.beat(1, osdBeat(1, stored).setLeaving(true));
    JoinReply joined = sysmgr.joinOsd(1, "a", 7400, 2);
    assertTrue(joined.getQuarantined());
    assertEquals(1, joined.getQuarantine());
    stored = joined.getPartitionsVersion();
    OsdRow row = sysmgr.table(1).getOsds(0);
    assertEquals(NodeState.QUARANTINED, row.getState());
    assertEquals(List.of(1L), row.getAwaitedVolumeList());
    HeartbeatReply reply =
        sysmgr.beat(1, osdBeat(1, stored).setIncarnation(2).setQuarantine(1).setQuarantined(true));
    assertTrue(reply.getQuarantined());
    sysmgr.failure(
        ErrorCode.UNAUTHENTICATED,
        sysmgr.ask(1, Opcode.READMIT_OSD, readmission(1, 2, 1).build(), new byte[32]));
    for (ReadmitOsdRequest.Builder stale :
        List.of(readmission(1, 1, 1), readmission(1, 2, 0), readmission(1, 2, 2))) {
      sysmgr.failure(
          ErrorCode.NOT_FOUND, sysmgr.ask(1, Opcode.READMIT_OSD, stale.build(), sysmgr.secret()));
    }
    sysmgr.failure(
        ErrorCode.FENCED,
        sysmgr.ask(1, Opcode.READMIT_OSD, readmission(2, 2, 1).build(), sysmgr.secret()));
    assertEquals(NodeState.QUARANTINED, osdState(1, 1));
    for (int repeat = 0; repeat < 2; repeat++) {
      sysmgr.call(1, Opcode.READMIT_OSD, readmission(1, 2, 1).build(), Empty.parser());
    }
    reply =
        sysmgr.beat(1, osdBeat(1, stored).setIncarnation(2).setQuarantine(1).setQuarantined(true));
    assertFalse(reply.getQuarantined());
    sysmgr.seconds(1);
    assertEquals(NodeState.QUARANTINED, osdState(1, 1), "it has not said that it knows");
    sysmgr.beat(1, osdBeat(1, stored).setIncarnation(2).setQuarantine(1));
    sysmgr.seconds(1);
    assertEquals(NodeState.UP, osdState(1, 1));
    // A restart that was not noticed changes nothing.
    assertFalse(sysmgr.joinOsd(1, "a", 7400, 3).getQuarantined());
    assertEquals(NodeState.UP, osdState(1, 1));
  }

  @Test
  void anOsdThatLeavesIsDownBeforeItIsAnswered() throws Exception {
    long stored = sysmgr.joinOsd(1, "a", 7400, 1).getPartitionsVersion();
    sysmgr.beat(1, osdBeat(1, stored).setLeaving(true));
    assertEquals(NodeState.DOWN, osdState(1, 1));
    sysmgr.joinOsd(1, "a", 7400, 2);
    assertEquals(NodeState.UP, osdState(1, 1));
  }

  @Test
  void aStrangersOrAnOldProcessesHeartbeatIsToldToJoin() throws Exception {
    sysmgr.failure(
        ErrorCode.NOT_FOUND,
        sysmgr.ask(1, Opcode.HEARTBEAT, osdBeat(9, 1).build(), sysmgr.secret()));
    sysmgr.joinOsd(1, "a", 7400, 5);
    sysmgr.failure(
        ErrorCode.NOT_FOUND,
        sysmgr.ask(1, Opcode.HEARTBEAT, osdBeat(1, 1).build(), sysmgr.secret()));
  }

  /** A join that hung in the network is of a process that is there no more. */
  @Test
  void aNodeWhoseAddressALateJoinTookMustJoinAgain() throws Exception {
    sysmgr.joinOsd(1, "before", 7400, 1);
    sysmgr.joinOsd(1, "now", 7400, 1);
    sysmgr.joinOsd(1, "before", 7400, 1);
    sysmgr.failure(
        ErrorCode.NOT_FOUND,
        sysmgr.ask(1, Opcode.HEARTBEAT, osdBeat(2, 1).build(), sysmgr.secret()));
    assertEquals(2, sysmgr.joinOsd(1, "now", 7400, 1).getNodeId());
    var unused = sysmgr.beat(1, osdBeat(2, 1));
  }

  @Test
  void onlyANewStartOfAManagerIsANewEpoch() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    AcquireVolumesReply first = sysmgr.acquire(1, 1, 7);
    assertEquals(1, first.getVolumes(0).getVolume().getEpoch());
    assertEquals("root", first.getVolumes(0).getVolume().getSuperuser());
    assertEquals(1, first.getVolumes(0).getKeys().getFenceEpoch());
    assertEquals(first, sysmgr.acquire(1, 1, 7));
    assertEquals(2, sysmgr.acquire(1, 1, 8).getVolumes(0).getVolume().getEpoch());
  }

  @Test
  void aSecondManagerGetsNothingAndTheStatusSaysSo() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    int second = sysmgr.joinManager(1, "n", 7311).getNodeId();
    assertEquals(0, sysmgr.acquire(1, second, 7).getVolumesCount());
    assertTrue(problems(sysmgr.status(1)).contains("Manager 2"));
  }

  @Test
  void aFormattedVolumeIsRemembered() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    VolumeFormattedRequest done =
        VolumeFormattedRequest.newBuilder().setManagerId(1).setVolumeId(1).setEpoch(1).build();
    sysmgr.call(1, Opcode.VOLUME_FORMATTED, done, Empty.parser());
    VolumeRow volume = sysmgr.table(1).getVolumes(0);
    assertTrue(volume.getFormatted());
    sysmgr.failure(
        ErrorCode.FENCED,
        sysmgr.ask(
            1, Opcode.VOLUME_FORMATTED, done.toBuilder().setEpoch(2).build(), sysmgr.secret()));
  }

  @Test
  void aManagersLeaseEndsWithItsEpoch() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    assertEquals(2_000, sysmgr.beat(1, managerBeat(1, 1)).getLeaseMillis());
    sysmgr.acquire(1, 1, 8);
    assertEquals(0, sysmgr.beat(1, managerBeat(1, 1)).getLeaseMillis());
    assertEquals(2_000, sysmgr.beat(1, managerBeat(1, 2)).getLeaseMillis());
  }

  @Test
  void aNewStartWaitsForTheLeaseOfTheStartBeforeIt() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    sysmgr.seconds(1);
    // A manager counts its lease from when it asks.
    long renewedNanos = sysmgr.time.nowNanos();
    assertEquals(2_000, sysmgr.beat(1, managerBeat(1, 1)).getLeaseMillis());
    CompletableFuture<RpcReply> next =
        sysmgr.ask(1, Opcode.ACQUIRE_VOLUMES, SimulatedSysmgr.acquisition(1, 8), sysmgr.secret());
    sysmgr.seconds(0.5);
    assertEquals(
        0, sysmgr.beat(1, managerBeat(1, 1)).getLeaseMillis(), "renewed beside a new start");
    sysmgr.time.runUntil("the epoch is given", next::isDone);
    assertTrue(sysmgr.time.nowNanos() - renewedNanos >= 2_000_000_000L);
    AcquireVolumesReply reply = next.join().parse(AcquireVolumesReply.parser());
    assertEquals(2, reply.getVolumes(0).getVolume().getEpoch());
  }

  @Test
  void aStartAfterACleanStopNeedNotWait() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    assertEquals(0, sysmgr.beat(1, managerBeat(1, 1).setLeaving(true)).getLeaseMillis());
    long leftNanos = sysmgr.time.nowNanos();
    sysmgr.acquire(1, 1, 8);
    assertTrue(sysmgr.time.nowNanos() - leftNanos < 1_000_000_000L);
  }

  @Test
  void aLeaderCutOffRenewsNoLease() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    sysmgr.replication.cut(1);
    CompletableFuture<RpcReply> renewal =
        sysmgr.ask(1, Opcode.HEARTBEAT, managerBeat(1, 1).build(), sysmgr.secret());
    sysmgr.replication.elect(2);
    sysmgr.seconds(3);
    assertEquals(2_000, sysmgr.beat(2, managerBeat(1, 1)).getLeaseMillis());
    assertFalse(renewal.isDone(), "a leader without a majority renewed a lease");
    sysmgr.replication.heal(1);
    sysmgr.failure(ErrorCode.NOT_LEADER, renewal);
  }

  @Test
  void aNewLeaderWaitsOneLeaseBeforeANewEpoch() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    sysmgr.replication.cut(1);
    sysmgr.replication.elect(2);
    long electedNanos = sysmgr.time.nowNanos();
    CompletableFuture<RpcReply> early = new CompletableFuture<>();
    sysmgr.seconds(0.8);
    var unused =
        sysmgr
            .ask(2, Opcode.ACQUIRE_VOLUMES, SimulatedSysmgr.acquisition(1, 8), sysmgr.secret())
            .whenComplete((reply, failure) -> early.complete(reply));
    sysmgr.time.runUntil("the epoch is given", early::isDone);
    assertTrue(sysmgr.time.nowNanos() - electedNanos >= 2_000_000_000L);
    AcquireVolumesReply reply = early.join().parse(AcquireVolumesReply.parser());
    assertEquals(2, reply.getVolumes(0).getVolume().getEpoch());
  }

  @Test
  void theFirstLeaderOfAClusterNeedNotWait() throws Exception {
    SimulatedSysmgr fresh = new SimulatedSysmgr(7, 1);
    fresh.awaitCluster();
    long startNanos = fresh.time.nowNanos();
    fresh.joinManager(1, "m", 7310);
    fresh.acquire(1, 1, 7);
    assertTrue(fresh.time.nowNanos() - startNanos < 1_000_000_000L);
  }

  @Test
  void aNewLeaderKeepsTheClusterAndGivesEachNodeItsTime() throws Exception {
    String cluster = sysmgr.table(1).getClusterId();
    sysmgr.joinOsd(1, "a", 7400, 1);
    sysmgr.seconds(2);
    long version = sysmgr.table(1).getVersion();
    sysmgr.replication.elect(3);
    sysmgr.seconds(2.5);
    ClusterTable table = sysmgr.table(3);
    assertEquals(cluster, table.getClusterId());
    assertEquals(NodeState.UP, table.getOsds(0).getState());
    assertTrue(table.getVersion() >= version);
    sysmgr.seconds(4.5);
    assertEquals(NodeState.DOWN, osdState(3, 1));
  }

  @Test
  void aFollowerNamesTheLeader() {
    String message =
        sysmgr.failure(
            ErrorCode.NOT_LEADER,
            sysmgr.ask(2, Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), null));
    assertTrue(message.contains("127.0.0.1:7301"), message);
    assertThrows(WeftException.class, () -> sysmgr.status(2));
  }

  @Test
  void withoutALeaderTheStatusStillSpeaks() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    sysmgr.replication.depose();
    sysmgr.seconds(1);
    ClusterStatus status = sysmgr.status(2);
    assertEquals(1, status.getTable().getOsdsCount());
    assertTrue(problems(status).contains("no leader"));
    sysmgr.failure(
        ErrorCode.NOT_LEADER,
        sysmgr.ask(2, Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), null));
  }

  @Test
  void theStatusNamesMembersLeaderFirstAndHoldsNoSecret() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.beat(1, osdBeat(1, 1).addProblems("x".repeat(9_000)));
    sysmgr.beat(1, managerBeat(1, 0));
    ClusterStatus status = sysmgr.status(1);
    assertEquals(7301, status.getSysmgrs(0).getPort());
    assertEquals("write-back", status.getDurability());
    assertEquals("serving", status.getVolumes(0).getState());
    assertTrue(problems(status).length() < 4_000, "a node's words are not cut");
    ByteString bytes = status.toByteString();
    var state = sysmgr.state(1);
    assertFalse(contains(bytes, state.cluster().orElseThrow().joinToken().bytes()));
    state
        .partitions()
        .values()
        .forEach(
            partition -> assertFalse(contains(bytes, partition.keys().get(0).secret().bytes())));
  }

  @Test
  void membersHoldTheSameConfigurationAndDrawDifferentClusters() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    sysmgr.seconds(1);
    assertEquals(sysmgr.state(1), sysmgr.state(3));
    SimulatedSysmgr other = new SimulatedSysmgr(43, 1);
    other.awaitCluster();
    assertNotEquals(
        sysmgr.state(1).cluster().orElseThrow().id(), other.state(1).cluster().orElseThrow().id());
    assertEquals(64, other.state(1).cluster().orElseThrow().joinToken().length());
    assertArrayEquals(sysmgr.secret(), sysmgr.secret());
  }

  private static boolean contains(ByteString bytes, byte[] part) {
    for (int i = 0; i + part.length <= bytes.size(); i++) {
      if (bytes.substring(i, i + part.length).equals(ByteString.copyFrom(part))) {
        return true;
      }
    }
    return false;
  }

  private static String problems(ClusterStatus status) {
    StringBuilder text = new StringBuilder();
    for (Problem problem : status.getProblemsList()) {
      text.append(problem.getWhat()).append('\n');
    }
    return text.toString();
  }
}
