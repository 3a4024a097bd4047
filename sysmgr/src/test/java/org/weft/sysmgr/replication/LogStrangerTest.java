package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.Closing;
import org.weft.sysmgr.MemberPorts;
import org.weft.sysmgr.StageResults;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.testkit.process.Await;

/** A stranger that reaches the members' port changes nothing and is told nothing. */
final class LogStrangerTest {
  private static final UUID GROUP = UUID.nameUUIDFromBytes(new byte[] {7});
  private static final byte[] GARBAGE = {1, 2, 3, 4, 5, 6, 7};

  @TempDir Path root;

  private final List<ReplicatedLog.Member> members = new ArrayList<>();
  private final List<RatisReplicatedLog> logs = new ArrayList<>();
  private final List<ListMachine> machines = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    Closing.all(logs);
  }

  private RatisReplicatedLog start(int count) throws Exception {
    List<Integer> ports = MemberPorts.of(count);
    for (int i = 0; i < count; i++) {
      members.add(
          new ReplicatedLog.Member(
              i + 1, new Endpoint("127.0.0.1", 7300 + i), new Endpoint("127.0.0.1", ports.get(i))));
    }
    for (int i = 0; i < count; i++) {
      machines.add(new ListMachine());
      RatisOptions options =
          new RatisOptions(
              root.resolve("member-" + i),
              GROUP,
              i + 1,
              members,
              members.get(i).rpc(),
              members.get(i).log(),
              1_000);
      logs.add(RatisReplicatedLog.start(options, machines.get(i), new SplittableRandom(i)));
    }
    Await.until("a member leads", () -> logs.stream().anyMatch(RatisReplicatedLog::isLeader));
    return logs.stream().filter(RatisReplicatedLog::isLeader).findFirst().orElseThrow();
  }

  private static RaftPeer peer(String id, Endpoint address) {
    return RaftPeer.newBuilder().setId(id).setAddress(address.toString()).build();
  }

  private List<RaftPeer> peers() {
    return members.stream()
        .map(member -> peer(Integer.toString(member.memberId()), member.log()))
        .toList();
  }

  private RaftClient stranger(RatisReplicatedLog leader) {
    RaftProperties properties = new RaftProperties();
    ClientId id = ClientId.randomId();
    return RaftClient.newBuilder()
        .setProperties(properties)
        .setClientId(id)
        .setRaftGroup(RaftGroup.valueOf(RaftGroupId.valueOf(GROUP), peers()))
        .setLeaderId(peers().get(logs.indexOf(leader)).getId())
        .setRetryPolicy(RetryPolicies.noRetry())
        .setClientRpc(new GrpcFactory(new Parameters()).newRaftClientRpc(id, properties))
        .build();
  }

  private void refusesStrangers(int count) throws Exception {
    RatisReplicatedLog leader = start(count);
    try (RaftClient stranger = stranger(leader)) {
      refused(() -> stranger.io().send(Message.valueOf(ByteString.copyFrom(GARBAGE))));
      refused(() -> stranger.io().sendReadOnly(Message.EMPTY));
      List<RaftPeer> listener = List.of(peer("9", new Endpoint("127.0.0.1", 1)));
      refused(() -> stranger.admin().setConfiguration(peers(), listener));
      refused(() -> stranger.getGroupManagementApi(peers().get(0).getId()).list());
      refused(() -> stranger.getSnapshotManagementApi().create(10_000));
    }
    assertEquals("1:own", ReplicatedLogContract.proposed(leader, "own"));
    for (ListMachine machine : machines) {
      Await.until("a member has the entry", () -> machine.commands().equals(List.of("own")));
    }
    assertTrue(leader.isLeader());
  }

  @FunctionalInterface
  private interface Call {
    RaftClientReply send() throws IOException;
  }

  private static void refused(Call call) {
    Exception failure = assertThrows(Exception.class, call::send);
    assertTrue(failure.toString().contains("PERMISSION_DENIED"), failure::toString);
  }

  @Test
  void aSingleMemberRefusesClientsAndAdministratorsOfRatis() throws Exception {
    refusesStrangers(1);
  }

  @Test
  void threeMembersRefuseClientsAndAdministratorsOfRatis() throws Exception {
    refusesStrangers(3);
  }

  @Test
  void aCommandThatCannotBeReadNeverReachesTheLog() throws Exception {
    RatisReplicatedLog log = start(1);
    var refused = StageResults.failure(ErrorCode.INVALID_ARGUMENT, log.propose(new byte[0]));
    assertTrue(refused.getMessage().contains("an empty command"), refused::getMessage);
    assertEquals(
        "1:own",
        new String(
            StageResults.get(log.propose("own".getBytes(StandardCharsets.UTF_8))),
            StandardCharsets.UTF_8));
    assertFalse(log.ended().toCompletableFuture().isDone());
  }
}
