package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.Closing;
import org.weft.sysmgr.MemberPorts;
import org.weft.sysmgr.StageResults;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.testkit.process.Await;

/** Three members of a log on Ratis whose connections are cut, and end at neither side. */
@Execution(ExecutionMode.CONCURRENT)
final class CutMembersTest {
  private static final UUID GROUP = UUID.nameUUIDFromBytes(new byte[] {4});
  private static final int MEMBERS = 3;

  @TempDir Path root;

  private final List<HoldingLink> links = new ArrayList<>();
  private final RatisReplicatedLog[] logs = new RatisReplicatedLog[MEMBERS];
  private final ListMachine[] machines = new ListMachine[MEMBERS];

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = MemberPorts.of(MEMBERS);
    List<ReplicatedLog.Member> members = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      links.add(new HoldingLink(ports.get(i)));
      members.add(
          new ReplicatedLog.Member(
              i + 1, new Endpoint("127.0.0.1", 7300 + i), links.get(i).address()));
    }
    for (int i = 0; i < MEMBERS; i++) {
      machines[i] = new ListMachine();
      RatisOptions options =
          new RatisOptions(
              root.resolve("member-" + i),
              GROUP,
              i + 1,
              members,
              members.get(i).rpc(),
              new Endpoint("127.0.0.1", ports.get(i)),
              RatisOptions.DEFAULT_SNAPSHOT_EVERY);
      logs[i] = RatisReplicatedLog.start(options, machines[i], new SplittableRandom(i));
    }
  }

  @AfterEach
  void stop() throws Exception {
    Closing.all(Arrays.asList(logs));
    for (HoldingLink link : links) {
      link.close();
    }
  }

  private List<Integer> leaders() {
    return IntStream.range(0, MEMBERS).filter(i -> logs[i].isLeader()).boxed().toList();
  }

  private int leader() {
    Await.until("a member leads", () -> !leaders().isEmpty());
    return leaders().get(0);
  }

  private void propose(String command) {
    Await.until(
        command + " is accepted",
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

  /** The leader steps down; all of them ask for votes on the connections that are dead. */
  @Test
  void membersRejoinUnderALeaderThoughNoConnectionEnds() {
    propose("before");
    links.forEach(HoldingLink::cut);
    Await.until("no member leads", () -> leaders().isEmpty());
    links.forEach(HoldingLink::mend);
    propose("after");
    Await.until(
        "all have it",
        () -> {
          for (ListMachine machine : machines) {
            if (!machine.commands().contains("after")) {
              return false;
            }
          }
          return true;
        });
    assertEquals(List.of("before", "after"), machines[leader()].commands());
  }

  /**
   * Its last commit was confirmed before the cut: Ratis alone would say that this member leads, for
   * as long as it takes to step down.
   */
  @Test
  void aLeaderCutOffConfirmsNoReadEvenWithoutNewCommits() {
    propose("before");
    int cut = leader();
    Await.until("it confirms reads", () -> confirms(cut));
    links.forEach(HoldingLink::cut);
    assertFalse(confirms(cut));
    links.forEach(HoldingLink::mend);
    Await.until("the leader confirms reads", () -> confirms(leader()));
  }

  private boolean confirms(int member) {
    try {
      StageResults.get(logs[member].readBarrier());
      return true;
    } catch (WeftException e) {
      return false;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The leader keeps its majority, and does not hear one member for a while. */
  @Test
  void aMemberHearsTheLeaderAgainThoughNoConnectionEnds() {
    propose("before");
    int away = (leader() + 1) % MEMBERS;
    Await.until("it has the first", () -> machines[away].commands().size() == 1);
    links.get(away).cut();
    propose("meanwhile");
    links.get(away).mend();
    Await.until("it has what it missed", () -> machines[away].commands().size() == 2);
  }
}
