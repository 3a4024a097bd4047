package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ChangeMemberRequest;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EnlistMemberRequest;
import org.weft.protocol.wire.GetStatusRequest;
import org.weft.protocol.wire.MemberChange;
import org.weft.protocol.wire.MemberStateReply;
import org.weft.protocol.wire.MemberStateRequest;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.testkit.process.Await;

/** One member grows to three online, loses the disk of one, and gets another in its place. */
@Execution(ExecutionMode.CONCURRENT)
final class SysmgrGrowthTest {
  private static final int SNAPSHOT_EVERY = 10;

  @TempDir Path root;

  private final SortedMap<Integer, SysmgrDaemon> daemons = new TreeMap<>();
  private final List<Endpoint> addresses = new ArrayList<>();
  private SystemEnvironment system;
  private List<Integer> ports;
  private long nonce;

  @BeforeEach
  void open() throws Exception {
    system = SystemEnvironment.create();
    ports = MemberPorts.of(8);
  }

  @AfterEach
  void close() throws Exception {
    Closing.all(daemons.values());
    system.close();
  }

  private SysmgrOptions options(int place, int memberId) {
    Endpoint rpc = new Endpoint("127.0.0.1", ports.get(2 * place));
    Endpoint ratis = new Endpoint("127.0.0.1", ports.get(2 * place + 1));
    return new SysmgrOptions(
        root.resolve("place-" + place),
        memberId,
        List.of(new SysmgrMember(Math.max(1, memberId), rpc, ratis)),
        rpc,
        new Endpoint("127.0.0.1", 0),
        ratis,
        "test",
        "root");
  }

  private SysmgrDaemon start(SysmgrOptions options) throws IOException {
    SysmgrDaemon daemon = SysmgrDaemon.start(options, system.environment(), SNAPSHOT_EVERY);
    daemons.put(daemon.memberId(), daemon);
    addresses.add(daemon.address());
    return daemon;
  }

  private int join(int place, byte[] token) throws IOException {
    SysmgrOptions.JoinPlan plan = new SysmgrOptions.JoinPlan(List.copyOf(addresses), token);
    return start(options(place, 0).joining(plan)).memberId();
  }

  private MemberChange change(SysmgrClient client, boolean removal, int memberId) {
    ChangeMemberRequest request =
        ChangeMemberRequest.newBuilder()
            .setNonce(++nonce)
            .setRemoval(removal)
            .setMemberId(memberId)
            .build();
    MemberChange[] last = {MemberChange.getDefaultInstance()};
    Await.until(
        "the members are changed",
        () -> {
          last[0] = client.persist(Opcode.CHANGE_MEMBER, request, MemberChange.parser());
          return last[0].getState() != OperationState.UNDER_WAY;
        });
    return last[0];
  }

  @Test
  void oneMemberGrowsToThreeAndALostOneIsReplaced() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    try (SysmgrClient first =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      for (int i = 1; i <= 25; i++) {
        assertEquals(i, first.joinOsd("osd-" + i, 7400 + i, 1));
      }
      assertEquals(2, join(1, token));
      assertTrue(daemons.get(2).isCandidate());
      assertEquals(OperationState.DONE, change(first, false, 2).getState());
      assertEquals(3, join(2, token));
      assertEquals(OperationState.DONE, change(first, false, 3).getState());
    }
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      Await.until("all members are noted", () -> client.table().getSysmgrsCount() == 3);
      StageResults.get(daemons.get(3).ready());
      assertFalse(daemons.get(3).isCandidate());

      // The first one goes for good, with its disk; the other two carry on.
      daemons.remove(1).close();
      assertEquals(26, client.joinOsd("osd-26", 7426, 1));
      assertEquals(OperationState.DONE, change(client, true, 1).getState());
      assertEquals(4, join(3, token));
      assertEquals(OperationState.DONE, change(client, false, 4).getState());
      Await.until("the new members are noted", () -> client.table().getSysmgrsCount() == 3);
    }
    // The new member may lead now: this client knows its address as well.
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      daemons.remove(2).close();
      assertEquals(26, client.table().getOsdsCount());
      assertEquals(27, client.joinOsd("osd-27", 7427, 1));
    }
  }

  /**
   * A process was killed when it had been enlisted, before its directory had its number. Its number
   * is being added, again and again, when another process starts in its place (P 6.2a.14).
   */
  @Test
  void anotherProcessReplacesACandidateThatDied() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      EnlistMemberReply dead =
          client.call(
              Opcode.ENLIST_MEMBER, enlistment(options(1, 0).self()), EnlistMemberReply.parser());
      assertEquals(2, dead.getMemberId());
      ChangeMemberRequest first = addition(2);
      assertEquals(
          OperationState.UNDER_WAY,
          client.call(Opcode.CHANGE_MEMBER, first, MemberChange.parser()).getState());
      CompletableFuture<Void> operator =
          CompletableFuture.runAsync(() -> addWhateverWaits(client, first));
      assertEquals(3, join(1, token));
      StageResults.get(operator);
      StageResults.get(daemons.get(3).ready());
      assertEquals(List.of(1, 3), rows(client).stream().map(SysmgrRow::getMemberId).toList());
    }
  }

  private static EnlistMemberRequest enlistment(SysmgrMember self) {
    return EnlistMemberRequest.newBuilder()
        .setRpc(self.rpc().toMessage())
        .setLog(self.ratis().toMessage())
        .setCommands(CommandNumbers.NEWEST)
        .build();
  }

  private ChangeMemberRequest addition(int memberId) {
    return ChangeMemberRequest.newBuilder().setNonce(++nonce).setMemberId(memberId).build();
  }

  private static List<SysmgrRow> rows(SysmgrClient client) {
    return client
        .persist(Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), ClusterStatus.parser())
        .getSysmgrMembersList();
  }

  /** As an operator that repeats the command without a pause until a second member is there. */
  private void addWhateverWaits(SysmgrClient client, ChangeMemberRequest first) {
    ChangeMemberRequest[] request = {first};
    Await.until(
        "what waits is added",
        () -> {
          try {
            OperationState state =
                client.call(Opcode.CHANGE_MEMBER, request[0], MemberChange.parser()).getState();
            if (state == OperationState.UNDER_WAY) {
              return false;
            }
          } catch (WeftException e) {
            // Refused: whatever waits now has another number, or is being added already, by a
            // request that was not answered.
            assertTrue(
                Set.of(
                        ErrorCode.UNAVAILABLE,
                        ErrorCode.NOT_FOUND,
                        ErrorCode.NOT_LEADER,
                        ErrorCode.EXISTS)
                    .contains(e.code()),
                e::toString);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          List<SysmgrRow> rows = rows(client);
          rows.stream()
              .filter(SysmgrRow::getCandidate)
              .forEach(row -> request[0] = addition(row.getMemberId()));
          return rows.size() == 2 && rows.stream().noneMatch(SysmgrRow::getCandidate);
        });
  }

  /** It listens, though no member answers it, and is added when there is one again. */
  @Test
  void aProcessThatWaitsToBeAddedStartsWithoutTheOthers() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    assertEquals(2, join(1, token));
    daemons.remove(2).close();
    daemons.remove(1).close();
    CompletableFuture<Integer> again = CompletableFuture.supplyAsync(() -> joined(1, token));
    try (SysmgrClient waiting =
        new SysmgrClient(
            system.environment().transport(), List.of(options(1, 0).self().rpc()), token)) {
      MemberStateReply state =
          waiting.persist(
              Opcode.MEMBER_STATE,
              MemberStateRequest.getDefaultInstance(),
              MemberStateReply.parser());
      assertEquals(2, state.getMemberId());
    }
    assertEquals(2, StageResults.get(again));
    assertTrue(daemons.get(2).isCandidate());
    start(options(0, 1));
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      assertEquals(OperationState.DONE, change(client, false, 2).getState());
      StageResults.get(daemons.get(2).ready());
    }
  }

  /** It did not know its cluster yet when it was killed, and its log is lost: it may have voted. */
  @Test
  void aMemberWithoutItsLogDoesNotVoteAgain() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      for (int id = 2; id <= 3; id++) {
        assertEquals(id, join(id - 1, token));
        assertEquals(OperationState.DONE, change(client, false, id).getState());
        StageResults.get(daemons.get(id).ready());
      }
      daemons.remove(3).close();
      Path folder = root.resolve("place-2");
      Path note = folder.resolve("member");
      List<String> lines = Files.readAllLines(note);
      Files.write(note, lines.stream().filter(each -> !each.startsWith("cluster-id=")).toList());
      Files.move(folder.resolve("ratis"), root.resolve("lost"));
      assertEquals(3, join(2, token));
      Exception end = assertThrows(Exception.class, () -> StageResults.get(daemons.get(3).ended()));
      assertTrue(end.toString().contains("has never voted"), end::toString);
      assertFalse(Files.exists(folder.resolve("ratis")), "it has not opened another log");
    }
  }

  private int joined(int place, byte[] token) {
    try {
      return join(place, token);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aMemberThatIsRemovedSaysWhyItEnds() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      for (int id = 2; id <= 3; id++) {
        assertEquals(id, join(id - 1, token));
        assertEquals(OperationState.DONE, change(client, false, id).getState());
        StageResults.get(daemons.get(id).ready());
      }
      assertEquals(OperationState.DONE, change(client, true, 3).getState());
      Exception end = assertThrows(Exception.class, () -> StageResults.get(daemons.get(3).ended()));
      assertTrue(end.toString().contains("it was removed"), end::toString);
    }
  }

  /** The log that the second member is sent begins with the first address of the first one. */
  @Test
  void aMemberThatJoinsFindsTheFirstOneWhereItIsNow() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    daemons.remove(1).close();
    SysmgrOptions moved = heardAt(ports.get(7));
    start(moved);
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      assertEquals(1, client.joinOsd("osd-1", 7401, 1));
      assertEquals(2, join(1, token));
      assertEquals(OperationState.DONE, change(client, false, 2).getState());
      assertEquals(3, join(2, token));
      assertEquals(OperationState.DONE, change(client, false, 3).getState());
      StageResults.get(daemons.get(3).ready());
    }
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      // The first one misses an entry: it cannot lead, the second one has to reach it.
      daemons.remove(1).close();
      assertEquals(2, client.joinOsd("osd-2", 7402, 1));
      daemons.remove(3).close();
      start(moved);
      assertEquals(3, client.joinOsd("osd-3", 7403, 1));
    }
  }

  private SysmgrOptions heardAt(int ratisPort) {
    SysmgrOptions first = options(0, 1);
    Endpoint ratis = new Endpoint("127.0.0.1", ratisPort);
    return new SysmgrOptions(
        first.dataDirectory(),
        1,
        List.of(new SysmgrMember(1, first.self().rpc(), ratis)),
        first.self().rpc(),
        new Endpoint("127.0.0.1", 0),
        ratis,
        "test",
        "root");
  }

  /** One configuration for all hosts names the first members; this one takes no place of theirs. */
  @Test
  void aJoiningMemberIsNamedByItsOwnAddress() throws Exception {
    byte[] token = start(options(0, 1)).joinToken();
    List<SysmgrMember> first = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      first.add(options(i, i + 1).self());
    }
    SysmgrOptions own = options(3, 0);
    SysmgrOptions shared =
        new SysmgrOptions(
            own.dataDirectory(),
            0,
            first,
            own.listen(),
            own.rest(),
            own.ratis(),
            own.clusterName(),
            own.superuser());
    SysmgrOptions.JoinPlan plan = new SysmgrOptions.JoinPlan(List.copyOf(addresses), token);
    assertEquals(2, start(shared.joining(plan)).memberId());
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, token)) {
      assertEquals(OperationState.DONE, change(client, false, 2).getState());
      StageResults.get(daemons.get(2).ready());
      daemons.remove(2).close();
      assertEquals(2, start(shared).memberId());
      Await.until(
          "both are noted where they are",
          () ->
              client.table().getSysmgrsList().stream().map(each -> each.getPort()).toList().stream()
                  .sorted()
                  .toList()
                  .equals(
                      List.of(0, 3).stream().map(place -> ports.get(2 * place)).sorted().toList()));
      assertEquals(1, client.joinOsd("osd-1", 7401, 1));
    }
  }

  /**
   * A member that forgot what it acknowledged must not vote: with one that lags it could outvote
   * the one that knows.
   */
  @Test
  void aFirstMemberThatLostItsDiskIsNotLetIn() throws Exception {
    List<SysmgrMember> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add(options(i, i + 1).self());
    }
    for (int i = 0; i < 3; i++) {
      start(several(i, i + 1, members));
    }
    for (SysmgrDaemon daemon : daemons.values()) {
      StageResults.get(daemon.ready());
    }
    daemons.remove(3).close();
    SysmgrDaemon wiped = start(several(3, 3, members, 2));
    Throwable refusal = assertThrows(Exception.class, () -> StageResults.get(wiped.ended()));
    assertTrue(refusal.toString().contains("--join"), refusal::toString);
  }

  private SysmgrOptions several(int place, int memberId, List<SysmgrMember> members) {
    return several(place, memberId, members, place);
  }

  private SysmgrOptions several(
      int directory, int memberId, List<SysmgrMember> members, int place) {
    SysmgrMember self = members.get(place);
    return new SysmgrOptions(
        root.resolve("place-" + directory),
        memberId,
        members,
        self.rpc(),
        new Endpoint("127.0.0.1", 0),
        self.ratis(),
        "test",
        "root");
  }
}
