package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.ChangeMemberRequest;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.GetStatusRequest;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.MemberChange;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.testkit.process.Await;
import org.weft.testkit.process.Signals;

/**
 * Three members, each a process, killed and frozen. {@code -Dweft.kill.rounds=20} does it more
 * often and runs the longer tests too, {@code -Dweft.kill.seed=N} does it otherwise.
 */
@Execution(ExecutionMode.CONCURRENT)
final class MembersKillTest {
  private static final String ROUNDS_PROPERTY = "weft.kill.rounds";
  private static final int ROUNDS = Integer.getInteger(ROUNDS_PROPERTY, 1);
  private static final long SEED = Long.getLong("weft.kill.seed", 20_261_124L);
  private static final int CHANGES = 6;
  private static final int READS = 20;
  private static final long MAX_DELAY_MILLIS = 1_200;

  @TempDir Path root;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Acknowledged acknowledged = new Acknowledged(random);
  private long nonce = 1_000_000;

  @Test
  void acknowledgedCommandsSurviveEveryLeader() throws Exception {
    try (MemberProcesses members = new MemberProcesses(root, 3)) {
      members.startFirst();
      try (SysmgrClient client = members.client()) {
        for (int round = 0; round < ROUNDS; round++) {
          for (int i = 0; i < CHANGES; i++) {
            acknowledged.change(client);
          }
          int leader = members.leader();
          acknowledged.burst(
              members.system().environment().transport(),
              members.address(leader),
              members.token(),
              () -> members.kill(leader));
          acknowledged.check("without place " + leader + ", round " + round, client.table());
          acknowledged.change(client);
          members.start(leader);
        }
        acknowledged.check("at the end, seed " + SEED, client.table());
      }
    }
  }

  /** Whatever was under way is done or given up, and the log and the note of it agree. */
  @Test
  @EnabledIfSystemProperty(named = ROUNDS_PROPERTY, matches = "\\d+")
  void aLeaderKilledWhileMembersChangeLeavesNoHalfChange() throws Exception {
    try (MemberProcesses members = new MemberProcesses(root, 4)) {
      members.startFirst();
      try (SysmgrClient client = members.client()) {
        int fourth = members.join(3, members.token());
        for (int round = 0; round < ROUNDS; round++) {
          acknowledged.change(client);
          change(members, client, false, fourth);
          acknowledged.change(client);
          change(members, client, true, fourth);
          // One that was removed comes back as another one.
          members.kill(3);
          members.wipe(3);
          fourth = members.join(3, members.token());
        }
        acknowledged.check("at the end, seed " + SEED, client.table());
      }
    }
  }

  private void change(MemberProcesses members, SysmgrClient client, boolean removal, int id)
      throws Exception {
    ChangeMemberRequest request =
        ChangeMemberRequest.newBuilder()
            .setNonce(++nonce)
            .setRemoval(removal)
            .setMemberId(id)
            .build();
    client.persist(Opcode.CHANGE_MEMBER, request, MemberChange.parser());
    int leader = members.leader();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(MAX_DELAY_MILLIS)));
    members.kill(leader);
    MemberChange[] last = {MemberChange.getDefaultInstance()};
    Await.until(
        "the change is over",
        () -> {
          last[0] = client.persist(Opcode.CHANGE_MEMBER, request, MemberChange.parser());
          return last[0].getState() != OperationState.UNDER_WAY;
        });
    boolean there = !removal == (last[0].getState() == OperationState.DONE);
    Await.until(
        "member " + id + (there ? " is noted" : " is not noted"),
        () ->
            client.table().getSysmgrsList().stream()
                    .anyMatch(each -> each.getPort() == members.address(3).port())
                == there);
    assertEquals(there, memberIds(client).contains(id), last[0]::toString);
    if (leader == 3) {
      members.join(3, members.token());
    } else {
      members.start(leader);
    }
    if (!there == !removal) {
      // It was given up: once more, without a kill.
      change(client, removal, id);
    }
  }

  private static List<Integer> memberIds(SysmgrClient client) {
    return client
        .persist(Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), ClusterStatus.parser())
        .getSysmgrMembersList()
        .stream()
        .filter(row -> !row.getCandidate())
        .map(SysmgrRow::getMemberId)
        .toList();
  }

  private void change(SysmgrClient client, boolean removal, int id) {
    ChangeMemberRequest request =
        ChangeMemberRequest.newBuilder()
            .setNonce(++nonce)
            .setRemoval(removal)
            .setMemberId(id)
            .build();
    Await.until(
        "the members are changed",
        () ->
            client.persist(Opcode.CHANGE_MEMBER, request, MemberChange.parser()).getState()
                == OperationState.DONE);
  }

  @Test
  @EnabledIfSystemProperty(named = ROUNDS_PROPERTY, matches = "\\d+")
  void aMemberThatLostItsDiskIsRefusedAndReplaced() throws Exception {
    try (MemberProcesses members = new MemberProcesses(root, 4)) {
      members.startFirst();
      try (SysmgrClient client = members.client()) {
        acknowledged.change(client);
        int lost = (members.leader() + 1) % 3 == 0 ? 2 : (members.leader() + 1) % 3;
        members.kill(lost);
        members.wipe(lost);
        members.start(lost);
        String end = members.at(lost).awaitEnd();
        assertTrue(end.contains("--join"), end);
        members.kill(lost);
        change(client, true, lost + 1);
        change(client, false, members.join(3, members.token()));
        acknowledged.change(client);
        acknowledged.check("with the new member, seed " + SEED, client.table());
      }
    }
  }

  /**
   * Requests that reached a leader while it was frozen are answered late, and not from the past.
   */
  @Test
  @EnabledIfSystemProperty(named = ROUNDS_PROPERTY, matches = "\\d+")
  void aLeaderThatWasFrozenAnswersNothingFromThePast() throws Exception {
    try (MemberProcesses members = new MemberProcesses(root, 3)) {
      members.startFirst();
      try (SysmgrClient client = members.client()) {
        acknowledged.change(client);
        for (int round = 0; round < ROUNDS; round++) {
          frozen(members, client, round);
        }
      }
    }
  }

  private record Late(Opcode opcode, CompletableFuture<RpcReply> answer) {}

  private void frozen(MemberProcesses members, SysmgrClient client, int round) throws Exception {
    int leader = members.leader();
    RpcConnection connection = connect(members, leader);
    Signals.freeze(members.at(leader).handle());
    List<Late> late = new ArrayList<>();
    MessageLite join = SysmgrClient.join("frozen-" + round, 9_000 + round, 1);
    late.add(call(connection, members, Opcode.JOIN_OSD, join));
    read(connection, members, late);
    for (int i = 0; i < CHANGES; i++) {
      acknowledged.change(client);
    }
    acknowledged.check("while place " + leader + " is frozen", client.table());
    Signals.thaw(members.at(leader).handle());
    for (int again = 0; again < READS; again++) {
      read(connection, members, late);
    }
    for (Late each : late) {
      check(each, client);
    }
    connection.close();
  }

  private static RpcConnection connect(MemberProcesses members, int place) throws Exception {
    return StageResults.get(
        members
            .system()
            .environment()
            .transport()
            .connect(
                members.address(place),
                new ConnectOptions(Optional.empty(), "test", 20_000, false, (o, b) -> {})));
  }

  private static void read(RpcConnection connection, MemberProcesses members, List<Late> late)
      throws Exception {
    late.add(call(connection, members, Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance()));
    late.add(call(connection, members, Opcode.GET_TABLE, GetTableRequest.getDefaultInstance()));
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
  }

  /** A refusal is right, and so is an answer that knows what was acknowledged meanwhile. */
  private void check(Late late, SysmgrClient client) throws Exception {
    RpcReply reply;
    try {
      reply = StageResults.get(late.answer());
    } catch (WeftException e) {
      assertFalse(e.getMessage().isBlank());
      return;
    }
    switch (late.opcode()) {
      case JOIN_OSD -> {
        int id = reply.parse(JoinReply.parser()).getNodeId();
        assertTrue(client.table().getOsdsList().stream().anyMatch(row -> row.getOsdId() == id));
      }
      case GET_STATUS -> {
        ClusterStatus status = reply.parse(ClusterStatus.parser());
        boolean unsure =
            status.getProblemsList().stream()
                .anyMatch(problem -> problem.getWhat().contains("SysMgr has no leader"));
        assertTrue(
            unsure || status.getTable().getVersion() >= acknowledged.tableVersion(),
            () -> "a status of version " + status.getTable().getVersion());
      }
      default ->
          acknowledged.check(
              "from the leader that was frozen", reply.parse(GetTableReply.parser()).getTable());
    }
  }

  private static Late call(
      RpcConnection connection, MemberProcesses members, Opcode opcode, MessageLite body)
      throws Exception {
    return new Late(
        opcode,
        connection.call(RpcRequest.signed(opcode, body, 60_000, JoinSecret.of(members.token()))));
  }

  @Test
  @Tag("long")
  void aMinorityRefusesReadsAndChangesAndSaysWhatMustRun() throws Exception {
    try (MemberProcesses members = new MemberProcesses(root, 3)) {
      members.startFirst();
      int left = members.leader();
      try (SysmgrClient client = members.client()) {
        acknowledged.change(client);
      }
      members.kill((left + 1) % 3);
      members.kill((left + 2) % 3);
      try (SysmgrClient client =
          new SysmgrClient(
              members.system().environment().transport(),
              List.of(members.address(left)),
              members.token())) {
        refused(client, Opcode.GET_TABLE, GetTableRequest.getDefaultInstance());
        refused(client, Opcode.JOIN_OSD, SysmgrClient.join("minority", 9_999, 1));
        ClusterStatus status =
            client.call(
                Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), ClusterStatus.parser());
        assertTrue(
            status.getProblemsList().stream()
                .anyMatch(problem -> problem.getWhat().contains("SysMgr has no leader")),
            status::toString);
      }
    }
  }

  private static void refused(SysmgrClient client, Opcode opcode, MessageLite body) {
    WeftException refusal =
        assertThrows(WeftException.class, () -> client.call(opcode, body, GetTableReply.parser()));
    assertTrue(
        refusal.getMessage().contains("majority"), () -> opcode + ": " + refusal.getMessage());
  }
}
