package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
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
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.Closing;
import org.weft.sysmgr.MemberPorts;
import org.weft.sysmgr.StageResults;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.testkit.process.Await;

/** Three members of a log on Ratis in one JVM. */
@Execution(ExecutionMode.CONCURRENT)
final class RatisMembersTest {
  private static final UUID GROUP = UUID.nameUUIDFromBytes(new byte[] {3});
  private static final int MEMBERS = 3;
  private static final int SNAPSHOT_EVERY = 5;
  private static final int LONG_COMMAND = 400 << 10;

  /** More than a segment of the log holds: the first segment is dropped after a snapshot. */
  private static final int LONG_COMMANDS = 16;

  @TempDir Path root;

  private final List<ReplicatedLog.Member> members = new ArrayList<>();
  private final RatisReplicatedLog[] logs = new RatisReplicatedLog[MEMBERS];
  private final ListMachine[] machines = new ListMachine[MEMBERS];

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = MemberPorts.of(MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
      members.add(
          new ReplicatedLog.Member(
              i + 1, new Endpoint("127.0.0.1", 7300 + i), new Endpoint("127.0.0.1", ports.get(i))));
    }
    for (int i = 0; i < MEMBERS; i++) {
      open(i);
    }
  }

  @AfterEach
  void stop() throws Exception {
    Closing.all(Arrays.asList(logs));
  }

  private void open(int index) throws Exception {
    machines[index] = new ListMachine();
    RatisOptions options =
        new RatisOptions(
            root.resolve("member-" + index),
            GROUP,
            index + 1,
            members,
            members.get(index).rpc(),
            members.get(index).log(),
            SNAPSHOT_EVERY);
    logs[index] = RatisReplicatedLog.start(options, machines[index], new SplittableRandom(index));
  }

  private int leader() {
    int[] found = {-1};
    Await.until(
        "a member leads",
        () -> {
          for (int i = 0; i < MEMBERS; i++) {
            if (logs[i].isLeader()) {
              found[0] = i;
            }
          }
          return found[0] >= 0;
        });
    return found[0];
  }

  /** A member may step down under load: then the next leader is asked. */
  private void propose(String command) {
    Await.until(
        "a command is accepted",
        () -> {
          try {
            ReplicatedLogContract.proposed(logs[leader()], command);
            return true;
          } catch (WeftException e) {
            return false;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void aMemberFarBehindGetsTheLeadersSnapshot() throws Exception {
    propose("first");
    int away = (leader() + 1) % MEMBERS;
    Await.until("it has the first", () -> machines[away].commands().size() == 1);
    logs[away].close();
    List<String> all = new ArrayList<>(List.of("first"));
    for (int i = 0; i < LONG_COMMANDS; i++) {
      String command = i + "-" + "x".repeat(LONG_COMMAND);
      propose(command);
      all.add(command);
    }
    open(away);
    int ownLoads = machines[away].loads();
    Await.until("it caught up", () -> machines[away].commands().size() >= all.size());
    assertTrue(machines[away].commands().equals(all), "it has something else");
    assertTrue(machines[away].loads() > ownLoads, "the leader still had the whole log");
  }

  /** A member takes part by the log alone: one more, and one less, while commands are proposed. */
  @Test
  void aMemberIsAddedAndAnotherTakenAway() throws Exception {
    propose("before");
    List<Integer> port = MemberPorts.of(1);
    ReplicatedLog.Member fourth =
        new ReplicatedLog.Member(
            4, new Endpoint("127.0.0.1", 7400), new Endpoint("127.0.0.1", port.get(0)));
    ListMachine machine = new ListMachine();
    RatisOptions options =
        new RatisOptions(
            root.resolve("member-4"),
            GROUP,
            4,
            List.of(),
            fourth.rpc(),
            fourth.log(),
            SNAPSHOT_EVERY);
    try (RatisReplicatedLog added =
        RatisReplicatedLog.start(options, machine, new SplittableRandom(4))) {
      assertEquals(List.of(), added.members());
      List<ReplicatedLog.Member> four = new ArrayList<>(members);
      four.add(fourth);
      StageResults.get(logs[leader()].replaceMembers(members, four));
      propose("between");
      Await.until("it has everything", () -> machine.commands().size() == 2);
      Await.until("it knows the members", () -> added.members().equals(four));
      Await.until("it is heard", () -> logs[leader()].progress().size() == 3);
      int gone = (leader() + 1) % MEMBERS;
      List<ReplicatedLog.Member> three = new ArrayList<>(four);
      three.remove(gone);
      StageResults.get(logs[leader()].replaceMembers(four, three));
      propose("after");
      Await.until("the new one has it", () -> machine.commands().size() == 3);
      assertEquals(three, logs[leader()].members());
    }
  }

  /** Ratis looks at a new member's progress when its leader has nothing else to do (P 6.2a.13). */
  @Test
  void theAdditionOfAProcessThatIsGoneFailsWhileCommandsCome() throws Exception {
    propose("before");
    List<ReplicatedLog.Member> four = new ArrayList<>(members);
    four.add(
        new ReplicatedLog.Member(
            4,
            new Endpoint("127.0.0.1", 7400),
            new Endpoint("127.0.0.1", MemberPorts.of(1).get(0))));
    CompletableFuture<Void> added =
        logs[leader()].replaceMembers(members, four).toCompletableFuture();
    int[] commands = {0};
    Await.until(
        "the addition has failed",
        () -> {
          propose("meanwhile-" + ++commands[0]);
          return added.isDone();
        });
    StageResults.failure(ErrorCode.UNAVAILABLE, added);
    assertEquals(members, logs[leader()].members());
    propose("after");
  }

  @Test
  void aFollowerRefusesAndNamesTheLeader() throws Exception {
    int leader = leader();
    int follower = (leader + 1) % MEMBERS;
    Await.until("it knows the leader", () -> logs[follower].leader().isPresent());
    WeftException refusal =
        StageResults.failure(
            ErrorCode.NOT_LEADER, ReplicatedLogContract.propose(logs[follower], "x"));
    String address = members.get(leader).rpc().toString();
    assertTrue(refusal.getMessage().contains(address), refusal::getMessage);
    StageResults.failure(ErrorCode.NOT_LEADER, logs[follower].readBarrier());
    assertEquals(logs[leader].leader(), logs[follower].leader());
  }
}
