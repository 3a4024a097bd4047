package org.weft.testkit.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;

/** One member's view of a {@link FakeReplication}, whose lock guards all but the machine. */
final class FakeMember implements ReplicatedLog {
  /** Something asked of the log; a barrier has no command. */
  record Proposal(byte[] command, CompletableFuture<byte[]> answer) {}

  final int memberId;
  final Endpoint rpc;
  final Machine machine;
  final Executor home;
  final Deque<Proposal> hanging = new ArrayDeque<>();
  boolean cut;
  boolean closed;
  int leader;
  private final FakeReplication replication;
  private final SortedMap<Integer, CompletableFuture<byte[]>> waiting = new TreeMap<>();
  private final AtomicInteger applied = new AtomicInteger();
  private int delivered;

  FakeMember(
      FakeReplication replication, int memberId, Endpoint rpc, Machine machine, Executor home) {
    this.replication = replication;
    this.memberId = memberId;
    this.rpc = rpc;
    this.machine = machine;
    this.home = home;
  }

  /** Entries that the machine has applied, on its thread. */
  int applied() {
    return applied.get();
  }

  boolean believesToLead() {
    return leader == memberId;
  }

  void follow(int newLeader) {
    leader = newLeader;
  }

  void load(byte[] state, int entries) {
    delivered = entries;
    home.execute(
        () -> {
          FakeReplication.load(machine, state);
          applied.set(entries);
        });
  }

  /** The entries that it has not got are gone: it gets a snapshot in their place. */
  void loadIfBehind(byte[] state, int entries) {
    if (delivered < entries) {
      load(state, entries);
    }
  }

  /** Hands the machine every entry that it has not got. */
  void deliver(int firstIndex, List<byte[]> commands) {
    for (; delivered < firstIndex + commands.size(); delivered++) {
      int index = delivered;
      byte[] command = commands.get(index - firstIndex).clone();
      CompletableFuture<byte[]> waits = waiting.remove(index);
      home.execute(
          () -> {
            byte[] answer = machine.apply(index + 1L, command);
            applied.set(index + 1);
            if (waits != null) {
              waits.complete(answer);
            }
          });
    }
  }

  void awaitAnswer(int index, CompletableFuture<byte[]> answer) {
    waiting.put(index, answer);
  }

  void answerBarrier(CompletableFuture<byte[]> answer) {
    // Everything committed was handed to the same serial executor before.
    home.execute(() -> answer.complete(new byte[0]));
  }

  void retryHanging() {
    List<Proposal> again = new ArrayList<>(hanging);
    hanging.clear();
    again.forEach(proposal -> replication.propose(this, proposal));
  }

  @Override
  public CompletionStage<byte[]> propose(byte[] command) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    replication.propose(this, new Proposal(command.clone(), answer));
    return answer;
  }

  @Override
  public CompletionStage<Void> readBarrier() {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    replication.propose(this, new Proposal(null, answer));
    return answer.thenAccept(nothing -> {});
  }

  @Override
  public boolean isLeader() {
    synchronized (replication) {
      return !closed && believesToLead();
    }
  }

  @Override
  public Optional<Endpoint> leader() {
    return replication.leaderOf(this);
  }

  @Override
  public List<Member> members() {
    return replication.voters();
  }

  @Override
  public List<Progress> progress() {
    return replication.progress(this);
  }

  @Override
  public CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after) {
    return replication.replace(this, before, after);
  }

  @Override
  public void close() {
    replication.close(this);
  }
}
