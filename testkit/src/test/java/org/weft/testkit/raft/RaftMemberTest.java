package org.weft.testkit.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.testkit.sim.SimProcess;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** The simulated log does what Raft does, and its faults are those it says. */
class RaftMemberTest {
  private static final int SELDOM = 1_000;

  private final VirtualTime time = new VirtualTime(7);
  private final VirtualWire rpc = new VirtualWire(time, 7);
  private final Set<String> cuts = new TreeSet<>();
  private final RaftWatch watch = new RaftWatch(note -> {});
  private final RaftWire wire = new RaftWire(this::send, watch);
  private final Map<Integer, Running> running = new TreeMap<>();
  private final Map<Integer, RaftDisk> disks = new TreeMap<>();

  /** Commands in a list. */
  private static final class Commands implements ReplicatedLog.Machine {
    private final List<String> list = new ArrayList<>();
    private int loads;

    @Override
    public void check(byte[] command) {
      if (command.length == 0) {
        throw new IllegalArgumentException("an empty command");
      }
    }

    @Override
    public byte[] apply(long index, byte[] command) {
      list.add(new String(command, StandardCharsets.UTF_8));
      return command;
    }

    @Override
    public void save(OutputStream target) throws IOException {
      DataOutputStream data = new DataOutputStream(target);
      data.writeInt(list.size());
      for (String each : list) {
        data.writeUTF(each);
      }
    }

    @Override
    public void load(InputStream source) throws IOException {
      loads++;
      list.clear();
      DataInputStream data = new DataInputStream(source);
      int size = data.readInt();
      for (int each = 0; each < size; each++) {
        list.add(data.readUTF());
      }
    }
  }

  private record Running(SimProcess process, RaftMember log, Commands machine) {}

  private static Member member(int id) {
    return new Member(id, new Endpoint("host-" + id, 1), new Endpoint("host-" + id, 2));
  }

  private static List<Member> members(int... ids) {
    List<Member> members = new ArrayList<>();
    for (int id : ids) {
      members.add(member(id));
    }
    return members;
  }

  private void send(int from, int to, int bytes, Runnable arrival) {
    if (!cuts.contains(from + ">" + to)) {
      time.after(TimeUnit.MILLISECONDS.toNanos(1), arrival);
    }
  }

  private void cut(int one, int... others) {
    for (int other : others) {
      cuts.add(one + ">" + other);
      cuts.add(other + ">" + one);
    }
  }

  private Running start(int id, int snapshotEvery) {
    RaftDisk disk = disks.computeIfAbsent(id, made -> new RaftDisk(members(1, 2, 3)));
    SimProcess process = new SimProcess(time, rpc, "host-" + id, id + time.steps());
    Commands machine = new Commands();
    RaftMember log =
        RaftMember.open(member(id), disk, machine, process.environment(), wire, snapshotEvery);
    Running started = new Running(process, log, machine);
    running.put(id, started);
    return started;
  }

  private void kill(int id) {
    Running dying = running.remove(id);
    dying.process().kill();
    dying.log().close();
  }

  private void startThree(int snapshotEvery) {
    for (int id = 1; id <= 3; id++) {
      start(id, snapshotEvery);
    }
  }

  /** Of those that are not cut off. */
  private int leader(int... among) {
    int[] found = new int[1];
    time.runUntil(
        "one of them leads",
        () -> {
          for (int id : among) {
            Running each = running.get(id);
            found[0] = each != null && each.log().isLeader() ? id : found[0];
          }
          return found[0] != 0;
        });
    return found[0];
  }

  private CompletableFuture<byte[]> propose(int id, String command) {
    return running
        .get(id)
        .log()
        .propose(command.getBytes(StandardCharsets.UTF_8))
        .toCompletableFuture();
  }

  private void proposed(int id, String command) {
    var unused = time.await(propose(id, command));
  }

  private WeftException failure(CompletableFuture<?> future) {
    time.runUntil("it is answered", future::isDone);
    return WeftException.of(assertThrows(RuntimeException.class, future::join));
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private List<String> commands(int id) {
    return running.get(id).machine().list;
  }

  private static int[] without(int id) {
    return id == 1 ? new int[] {2, 3} : id == 2 ? new int[] {1, 3} : new int[] {1, 2};
  }

  @AfterEach
  void nothingThatMustNeverBeWasSeen() {
    assertEquals(List.of(), watch.found());
  }

  @Test
  void aMajorityAnswersACommandAndAllMembersApplyIt() {
    startThree(SELDOM);
    int leader = leader(1, 2, 3);
    proposed(leader, "a");
    assertEquals(List.of("a"), commands(leader));
    pass(2_000);
    for (int id = 1; id <= 3; id++) {
      assertEquals(List.of("a"), commands(id));
    }
    int follower = without(leader)[0];
    assertEquals(ErrorCode.NOT_LEADER, failure(propose(follower, "b")).code());
    assertEquals(
        member(leader).rpc(),
        running.get(follower).log().leader().orElseThrow(),
        "the member to ask");
    assertEquals(ErrorCode.INVALID_ARGUMENT, failure(propose(leader, "")).code());
  }

  @Test
  void aLeaderCutOffConfirmsNothingAndLosesItsOwnEntries() {
    startThree(SELDOM);
    int old = leader(1, 2, 3);
    int[] others = without(old);
    cut(old, others);
    CompletableFuture<byte[]> lost = propose(old, "lost");
    CompletableFuture<Void> read = running.get(old).log().readBarrier().toCompletableFuture();
    assertTrue(running.get(old).log().isLeader(), "it does not know yet");
    int next = leader(others);
    proposed(next, "kept");
    assertFalse(read.isDone() && !read.isCompletedExceptionally());
    assertEquals(ErrorCode.NOT_LEADER, failure(lost).code());
    assertEquals(ErrorCode.NOT_LEADER, failure(read).code());
    cuts.clear();
    pass(3_000);
    assertEquals(List.of("kept"), commands(old));
  }

  @Test
  void theNextLeaderCommitsAnUnansweredCommandOfAMajority() {
    startThree(SELDOM);
    int old = leader(1, 2, 3);
    CompletableFuture<byte[]> asked = propose(old, "a");
    watch.whenLeaderSteps(
        (member, step) -> {
          if (step == RaftWatch.Step.COMMITTED && running.containsKey(old)) {
            time.after(0, () -> kill(old));
          }
        });
    int next = leader(without(old));
    time.runUntil("it has it", () -> commands(next).equals(List.of("a")));
    assertFalse(asked.isDone(), "no member is left to answer");
  }

  @Test
  void aMemberThatLacksCommittedEntriesIsNotElected() {
    startThree(SELDOM);
    int old = leader(1, 2, 3);
    int lagging = without(old)[0];
    int whole = without(old)[1];
    cut(lagging, old, whole);
    proposed(old, "a");
    pass(1_000);
    kill(old);
    cuts.clear();
    running.get(lagging).log().campaign();
    assertEquals(whole, leader(lagging, whole));
    time.runUntil("it has it", () -> commands(lagging).equals(List.of("a")));
  }

  @Test
  void aFollowerThatIsBehindTheSnapshotGetsIt() {
    startThree(5);
    int leader = leader(1, 2, 3);
    int behind = without(leader)[0];
    kill(behind);
    for (int command = 0; command < 20; command++) {
      proposed(leader, "c" + command);
    }
    start(behind, 5);
    time.runUntil("it has all", () -> commands(behind).size() == 20);
    assertEquals(commands(leader), commands(behind));
    assertEquals(1, running.get(behind).machine().loads);
  }

  @Test
  void answeredCommandsSurviveAPowerLossOfAll() {
    startThree(SELDOM);
    int leader = leader(1, 2, 3);
    proposed(leader, "a");
    for (int id = 1; id <= 3; id++) {
      kill(id);
      disks.get(id).losePower();
    }
    startThree(SELDOM);
    int next = leader(1, 2, 3);
    assertEquals(List.of("a"), commands(next));
  }

  @Test
  void anAddedMemberVotesOnceCaughtUpAndARemovedOneNever() {
    startThree(SELDOM);
    int leader = leader(1, 2, 3);
    proposed(leader, "a");
    int gone = without(leader)[0];
    int left = without(leader)[1];
    List<Member> two = members(Math.min(leader, left), Math.max(leader, left));
    time.await(
        running.get(leader).log().replaceMembers(members(1, 2, 3), two).toCompletableFuture());
    kill(gone);
    disks.put(4, new RaftDisk(List.of()));
    start(4, SELDOM);
    pass(5_000);
    assertFalse(running.get(4).log().isLeader(), "it was not added");
    List<Member> three = new ArrayList<>(two);
    three.add(member(4));
    time.await(running.get(leader).log().replaceMembers(two, three).toCompletableFuture());
    time.runUntil("it has all", () -> commands(4).equals(List.of("a")));
    kill(leader);
    int next = leader(left, 4);
    proposed(next, "b");
  }

  @Test
  void aChangeOfMembersThatAnotherWasFasterWithIsRefused() {
    startThree(SELDOM);
    int leader = leader(1, 2, 3);
    var change = running.get(leader).log().replaceMembers(members(1, 2), members(1));
    assertEquals(ErrorCode.UNAVAILABLE, failure(change.toCompletableFuture()).code());
  }
}
