package org.weft.testkit.replication;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;

/**
 * The members of a replicated log, and what they agreed on. It holds everything in memory: what was
 * committed outlives the members that are closed, as if on their disks.
 *
 * <p>Fault model. The test says which member leads ({@link #elect}); none leads by itself. A member
 * that is cut off ({@link #cut}) hears nothing more. If it led, it goes on believing that it leads,
 * and its proposals and barriers hang. Once it is joined again ({@link #heal}), they fail with
 * NOT_LEADER if another leads. They are committed if it still leads. Entries are never lost,
 * repeated or reordered. While answers are lost ({@link #loseAnswers}) a proposal fails although it
 * is committed later. A member that has been opened votes, unless members were replaced since
 * ({@link #holdChanges} keeps them from being).
 *
 * <p>Thread-safe. Machines run on the executor of their member.
 */
public final class FakeReplication {
  private static final long SILENT_MILLIS = 60_000;

  private final SortedMap<Integer, FakeMember> members = new TreeMap<>();
  private final List<byte[]> commands = new ArrayList<>();
  private final SortedMap<Integer, ReplicatedLog.Member> voters = new TreeMap<>();
  private boolean replaced;
  private boolean holding;
  private final List<Consumer<WeftException>> held = new ArrayList<>();
  private boolean losing;
  private final List<byte[]> late = new ArrayList<>();
  private byte[] snapshot;
  private int snapshotEntries;
  private int leader;

  /**
   * Starts a member: its machine gets the last snapshot, if there is one, and every entry after it.
   *
   * @param memberId 1 or more; a member of that id must have been closed before
   * @param rpc what {@link ReplicatedLog#leader} says while it leads
   * @param home runs the machine and completes the futures; serial
   */
  public ReplicatedLog open(
      int memberId, Endpoint rpc, ReplicatedLog.Machine machine, Executor home) {
    FakeMember member = new FakeMember(this, memberId, rpc, machine, home);
    synchronized (this) {
      if (members.putIfAbsent(memberId, member) != null) {
        throw new IllegalArgumentException("member " + memberId + " is open already");
      }
      if (snapshot != null) {
        member.load(snapshot.clone(), snapshotEntries);
      }
      member.follow(leader);
      member.deliver(snapshotEntries, commands);
      if (!replaced) {
        voters.put(memberId, new ReplicatedLog.Member(memberId, rpc, rpc));
      }
    }
    return member;
  }

  /** That member leads from now on; the one before still believes that it does if it is cut off. */
  public synchronized void elect(int memberId) {
    if (member(memberId).cut) {
      throw new IllegalArgumentException(
          "member " + memberId + " is cut off and cannot be elected");
    }
    leader = memberId;
    for (FakeMember member : members.values()) {
      if (!member.cut) {
        member.follow(leader);
      }
    }
  }

  /** No member that can be reached leads. */
  public synchronized void depose() {
    leader = 0;
    members.values().stream().filter(member -> !member.cut).forEach(member -> member.follow(0));
  }

  /** The member hears nothing more, and no other hears it. */
  public synchronized void cut(int memberId) {
    member(memberId).cut = true;
  }

  /** The member catches up and learns which one leads. */
  public synchronized void heal(int memberId) {
    FakeMember member = member(memberId);
    member.cut = false;
    member.follow(leader);
    if (snapshot != null) {
      member.loadIfBehind(snapshot.clone(), snapshotEntries);
    }
    member.deliver(snapshotEntries, commands);
    member.retryHanging();
  }

  /** As {@link #compactLater}, and waits for it. */
  public void compact(int memberId) {
    compactLater(memberId).join();
  }

  /**
   * Replaces the entries so far by a snapshot that this member's machine writes. A member that has
   * not got all of them gets the snapshot when it is joined again.
   */
  public CompletableFuture<Void> compactLater(int memberId) {
    FakeMember member;
    synchronized (this) {
      member = member(memberId);
    }
    var done = new CompletableFuture<Void>();
    member.home.execute(
        () -> {
          try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            member.machine.save(bytes);
            truncate(bytes.toByteArray(), member.applied());
            done.complete(null);
          } catch (IOException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  private synchronized void truncate(byte[] state, int entries) {
    if (entries > snapshotEntries) {
      commands.subList(0, entries - snapshotEntries).clear();
      snapshot = state;
      snapshotEntries = entries;
    }
  }

  /** Entries committed since the beginning. */
  public synchronized int committed() {
    return snapshotEntries + commands.size();
  }

  private FakeMember member(int memberId) {
    FakeMember member = members.get(memberId);
    if (member == null) {
      throw new IllegalArgumentException("there is no open member " + memberId);
    }
    return member;
  }

  synchronized void propose(FakeMember from, FakeMember.Proposal proposal) {
    if (from.closed) {
      proposal
          .answer()
          .completeExceptionally(new WeftException(ErrorCode.UNAVAILABLE, "the log is closed"));
    } else if (!from.believesToLead()) {
      WeftException refusal = notLeader(from);
      from.home.execute(() -> proposal.answer().completeExceptionally(refusal));
    } else if (from.cut) {
      from.hanging.add(proposal);
    } else if (proposal.command() == null) {
      from.answerBarrier(proposal.answer());
    } else if (losing) {
      late.add(proposal.command().clone());
      WeftException unknown =
          new WeftException(ErrorCode.UNAVAILABLE, "the log has not answered; ask again");
      from.home.execute(() -> proposal.answer().completeExceptionally(unknown));
    } else {
      from.awaitAnswer(committed(), proposal.answer());
      commit(proposal.command().clone());
    }
  }

  private void commit(byte[] command) {
    commands.add(command);
    for (FakeMember member : members.values()) {
      if (!member.cut) {
        member.deliver(snapshotEntries, commands);
      }
    }
  }

  /** From now on proposals fail at once; they are committed when answers are no longer lost. */
  public synchronized void loseAnswers(boolean lose) {
    losing = lose;
    if (!lose) {
      late.forEach(this::commit);
      late.clear();
    }
  }

  /** From now on a change of members gets no answer and is not made, as if its leader had died. */
  public synchronized void holdChanges(boolean hold) {
    holding = hold;
  }

  /** What was held has failed: a process that is to be added says nothing. */
  public synchronized void failHeldChanges() {
    WeftException silence = new WeftException(ErrorCode.UNAVAILABLE, "the new member says nothing");
    held.forEach(fail -> fail.accept(silence));
    held.clear();
  }

  synchronized List<ReplicatedLog.Member> voters() {
    return List.copyOf(voters.values());
  }

  synchronized List<ReplicatedLog.Progress> progress(FakeMember from) {
    List<ReplicatedLog.Progress> progress = new ArrayList<>();
    for (int id : voters.keySet()) {
      if (from.believesToLead() && id != from.memberId) {
        FakeMember other = members.get(id);
        boolean heard = other != null && !other.cut && !from.cut;
        progress.add(new ReplicatedLog.Progress(id, 0, heard ? 0 : SILENT_MILLIS));
      }
    }
    return progress;
  }

  synchronized CompletableFuture<Void> replace(
      FakeMember from, List<ReplicatedLog.Member> before, List<ReplicatedLog.Member> after) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (from.closed || !from.believesToLead()) {
      WeftException refusal = notLeader(from);
      from.home.execute(() -> answer.completeExceptionally(refusal));
    } else if (!before.equals(voters())) {
      from.home.execute(
          () ->
              answer.completeExceptionally(
                  new WeftException(ErrorCode.UNAVAILABLE, "the members are others")));
    } else if (!from.cut && !holding) {
      replaced = true;
      voters.clear();
      after.forEach(each -> voters.put(each.memberId(), each));
      from.home.execute(() -> answer.complete(null));
    } else {
      held.add(why -> from.home.execute(() -> answer.completeExceptionally(why)));
    }
    return answer;
  }

  private WeftException notLeader(FakeMember from) {
    return new WeftException(
        ErrorCode.NOT_LEADER,
        "this member does not lead; "
            + leaderOf(from).map(address -> "ask " + address).orElse("no leader is known"));
  }

  synchronized Optional<Endpoint> leaderOf(FakeMember from) {
    return Optional.ofNullable(members.get(from.leader)).map(member -> member.rpc);
  }

  synchronized void close(FakeMember member) {
    member.closed = true;
    members.remove(member.memberId, member);
    if (leader == member.memberId) {
      depose();
    }
  }

  /** Loads a snapshot into a machine on its thread. */
  static void load(ReplicatedLog.Machine machine, byte[] state) {
    try {
      machine.load(new ByteArrayInputStream(state));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
