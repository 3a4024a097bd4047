package org.weft.testkit.raft;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * One process of a member of a log, by the rules of Raft. Its steps run one by one on an executor
 * of its process, so that the process may be killed or stopped between any two. That includes the
 * gaps between a commit and its application, and between that and the reply.
 *
 * <p>A caller hears what {@code RatisReplicatedLog} would say. A leader that is deposed answers all
 * that waits with NOT_LEADER, though it may be committed later, or may be committed already.
 * Confined to the thread of the virtual time.
 */
public final class RaftMember implements ReplicatedLog {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private final Member self;
  private final RaftDisk disk;
  private final Machine machine;
  private final Environment environment;
  private final RaftWire wire;
  private final int snapshotEvery;
  private final OwnedExecutor home;
  private final RaftElection election;
  private final SortedMap<Long, CompletableFuture<byte[]>> waiting = new TreeMap<>();
  private Optional<RaftLeader> leading = Optional.empty();
  private int leader;
  private long committed;
  private long applied;
  private boolean applying;
  private boolean closed;

  private RaftMember(
      Member self,
      RaftDisk disk,
      Machine machine,
      Environment environment,
      RaftWire wire,
      int snapshotEvery) {
    this.self = self;
    this.disk = disk;
    this.machine = machine;
    this.environment = environment;
    this.wire = wire;
    this.snapshotEvery = snapshotEvery;
    this.home = environment.scheduler().newSerialExecutor("log");
    this.election = new RaftElection(this, disk, environment.random());
  }

  /**
   * Starts a process of a member with what is on its disk. The machine gets its snapshot before
   * this returns, entries once they are known to be committed.
   *
   * @param snapshotEvery entries between two snapshots
   */
  public static RaftMember open(
      Member self,
      RaftDisk disk,
      Machine machine,
      Environment environment,
      RaftWire wire,
      int snapshotEvery) {
    RaftMember member = new RaftMember(self, disk, machine, environment, wire, snapshotEvery);
    Snapshot snapshot = disk.snapshot();
    if (!snapshot.isEmpty()) {
      member.load(snapshot);
    }
    member.committed = snapshot.index();
    member.applied = snapshot.index();
    member.election.begin();
    wire.open(self.memberId(), member);
    member.tick();
    return member;
  }

  int memberId() {
    return self.memberId();
  }

  long nowNanos() {
    return environment.ticker().nowNanos();
  }

  long committed() {
    return committed;
  }

  long applied() {
    return applied;
  }

  void send(int to, RaftMessage message) {
    wire.send(to, message);
  }

  void later(Runnable step) {
    home.execute(step);
  }

  void fail(CompletableFuture<?> answer, WeftException why) {
    later(() -> answer.completeExceptionally(why));
  }

  boolean isMajority(IntPredicate holds) {
    List<Member> voters = members();
    long count = voters.stream().filter(each -> holds.test(each.memberId())).count();
    return count * 2 > voters.size();
  }

  private boolean isVoter() {
    return members().stream().anyMatch(each -> each.memberId() == memberId());
  }

  private void tick() {
    if (closed) {
      return;
    }
    if (leading.isPresent()) {
      if (!leading.get().tick()) {
        wire.watch().note("member " + memberId() + " hears no majority and leads no more");
        follow(disk.term());
      }
    } else if (isVoter()) {
      election.tick();
    }
    environment.scheduler().schedule(TICK_NANOS, home, this::tick);
  }

  /** Asks for votes at once, as one does that the leader has asked to (section 3.10). */
  public void campaign() {
    later(
        () -> {
          if (!closed && isVoter() && leading.isEmpty()) {
            election.force();
          }
        });
  }

  /** A majority has voted for it in this term. */
  void lead() {
    leader = memberId();
    wire.watch().leads(memberId(), disk.term(), disk.lastIndex());
    leading = Optional.of(new RaftLeader(this, disk, disk.lastIndex() + 1));
    append(Entry.nothing(disk.term()));
  }

  boolean leads() {
    return leading.isPresent();
  }

  /** It knows of none any more. */
  void forgetLeader() {
    leader = 0;
  }

  /** Something of another leader, or of a later term. */
  void follow(long term) {
    if (term > disk.term()) {
      disk.vote(term, 0);
    }
    leader = 0;
    election.reset();
    leading.ifPresent(
        deposed -> {
          leading = Optional.empty();
          WeftException why = notLeader();
          deposed.deposed(why);
          waiting.values().forEach(each -> fail(each, why));
          waiting.clear();
        });
  }

  /** A message; it is taken in the process's next step. */
  void arrives(RaftMessage message) {
    later(
        () -> {
          if (!closed) {
            take(message);
          }
        });
  }

  private void take(RaftMessage message) {
    if (message instanceof RaftMessage.AskVote question) {
      election.asked(question);
      return;
    }
    if (message.term() > disk.term()) {
      follow(message.term());
    }
    if (message instanceof RaftMessage.Vote vote) {
      election.voted(vote);
    } else if (message instanceof RaftMessage.Append append) {
      appended(append);
    } else if (message instanceof RaftMessage.Install install) {
      installed(install);
    } else if (message instanceof RaftMessage.Appended reply) {
      if (reply.term() == disk.term() && leading.isPresent()) {
        leading.get().appended(reply);
        commit();
      }
    } else {
      throw new AssertionError("unhandled message: " + message);
    }
  }

  /** True if the sender leads in this term. */
  private boolean hears(int from, long term) {
    if (term < disk.term()) {
      // Its rounds are of an earlier term: it may lead again by now, and count anew.
      send(from, new RaftMessage.Appended(memberId(), disk.term(), false, 0, 0));
      return false;
    }
    if (leading.isPresent()) {
      throw new AssertionError("members " + from + " and " + memberId() + " lead in term " + term);
    }
    leader = from;
    election.heardLeader();
    return true;
  }

  private void appended(RaftMessage.Append append) {
    if (!hears(append.from(), append.term())) {
      return;
    }
    long previous = append.previousIndex();
    boolean gap = previous > disk.lastIndex();
    if (gap
        || previous >= disk.snapshot().index() && disk.termOf(previous) != append.previousTerm()) {
      long again = gap ? disk.lastIndex() + 1 : previous;
      answer(append.from(), append.term(), false, again, append.round());
      return;
    }
    long index = previous;
    for (Entry entry : append.entries()) {
      index++;
      take(index, entry);
    }
    long last = index;
    committed = Math.max(committed, Math.min(append.committed(), last));
    apply();
    sync(() -> answer(append.from(), append.term(), true, last, append.round()));
  }

  private void take(long index, Entry entry) {
    if (index <= disk.snapshot().index()
        || index <= disk.lastIndex() && disk.termOf(index) == entry.term()) {
      return;
    }
    if (index <= disk.lastIndex()) {
      if (index <= committed) {
        throw new AssertionError("entry " + index + " is committed and would go");
      }
      disk.cutFrom(index);
    }
    disk.append(entry);
  }

  private void answer(int to, long term, boolean success, long index, long round) {
    if (disk.term() == term) {
      send(to, new RaftMessage.Appended(memberId(), term, success, index, round));
    }
  }

  private void installed(RaftMessage.Install install) {
    if (!hears(install.from(), install.term())) {
      return;
    }
    Snapshot snapshot = install.snapshot();
    if (snapshot.index() > applied) {
      wire.watch()
          .note("member " + memberId() + " loads the snapshot of entry " + snapshot.index());
      load(snapshot);
      disk.replace(snapshot);
      applied = snapshot.index();
      committed = Math.max(committed, applied);
    }
    answer(install.from(), install.term(), true, snapshot.index(), install.round());
  }

  private void load(Snapshot snapshot) {
    snapshot.load(machine);
    wire.watch().loaded(memberId(), snapshot.index(), machine);
  }

  /** A leader's own. */
  void append(Entry entry) {
    disk.append(entry);
    sync(() -> {});
    leading.ifPresent(RaftLeader::replicate);
  }

  /** Entries are durable a moment later. */
  private void sync(Runnable then) {
    if (disk.durable() == disk.lastIndex()) {
      then.run();
      return;
    }
    long upTo = disk.lastIndex();
    environment
        .scheduler()
        .schedule(
            environment.random().nextLong(MAX_SYNC_NANOS),
            home,
            () -> {
              if (!closed) {
                disk.synced(upTo);
                then.run();
                commit();
              }
            });
  }

  private void commit() {
    leading.ifPresent(
        leader -> {
          long known = committed;
          committed = Math.max(committed, leader.committed());
          if (committed > known) {
            wire.watch().step(memberId(), RaftWatch.Step.COMMITTED);
          }
          apply();
        });
  }

  private void apply() {
    if (!applying && applied < committed) {
      applying = true;
      later(this::applyNext);
    }
  }

  private void applyNext() {
    applying = false;
    if (closed || applied >= committed) {
      return;
    }
    long index = applied + 1;
    Entry entry = disk.entry(index);
    entry.command().ifPresent(command -> apply(index, command));
    applied = index;
    leading.ifPresent(leader -> leader.applied(index));
    if (entry.members().isPresent() && leading.isPresent() && !isVoter()) {
      wire.watch().note("member " + memberId() + " was removed and leads no more");
      follow(disk.term());
    }
    if (applied - disk.snapshot().index() >= snapshotEvery) {
      snapshot();
    }
    apply();
  }

  private void apply(long index, byte[] command) {
    byte[] answer = machine.apply(index, command.clone());
    wire.watch().applied(memberId(), index, command, answer, machine);
    CompletableFuture<byte[]> asked = waiting.remove(index);
    if (leading.isPresent()) {
      wire.watch().step(memberId(), RaftWatch.Step.APPLIED);
    }
    if (asked != null) {
      later(() -> asked.complete(answer));
    }
  }

  /** Writes one of what is applied, and drops the entries before. */
  public void snapshot() {
    if (closed || applied == disk.snapshot().index()) {
      return;
    }
    disk.replace(Snapshot.of(machine, applied, disk.termOf(applied), disk.membersAt(applied)));
  }

  @Override
  public CompletionStage<byte[]> propose(byte[] command) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    if (refuses(answer)) {
      return answer;
    }
    try {
      machine.check(command);
    } catch (IllegalArgumentException e) {
      fail(
          answer,
          new WeftException(
              ErrorCode.INVALID_ARGUMENT,
              "refused before it reached the log: " + e.getMessage(),
              e));
      return answer;
    }
    waiting.put(disk.lastIndex() + 1, answer);
    append(Entry.of(disk.term(), command.clone()));
    wire.watch().step(memberId(), RaftWatch.Step.PROPOSED);
    return answer;
  }

  private boolean refuses(CompletableFuture<?> asked) {
    if (closed) {
      asked.completeExceptionally(
          new WeftException(ErrorCode.UNAVAILABLE, "this SysMgr member is closed"));
    } else if (!isLeader()) {
      fail(asked, notLeader());
    }
    return closed || !isLeader();
  }

  private WeftException notLeader() {
    return new WeftException(
        ErrorCode.NOT_LEADER,
        "SysMgr member "
            + memberId()
            + " does not lead; "
            + leader().map(address -> "ask " + address).orElse("no leader is known"));
  }

  @Override
  public CompletionStage<Void> readBarrier() {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (!refuses(answer)) {
      leading.orElseThrow().barrier(wire.watch().highest(), answer);
    }
    return answer;
  }

  void confirmed(long committedWhenAsked, CompletableFuture<Void> answer) {
    wire.watch().confirmed(memberId(), committedWhenAsked, applied);
    later(() -> answer.complete(null));
  }

  @Override
  public boolean isLeader() {
    return !closed && leading.isPresent() && applied >= leading.get().firstIndex();
  }

  @Override
  public Optional<Endpoint> leader() {
    return members().stream()
        .filter(each -> each.memberId() == leader)
        .filter(each -> isLeader() || leader != memberId())
        .map(Member::rpc)
        .findFirst();
  }

  @Override
  public List<Member> members() {
    return disk.membersAt(disk.lastIndex());
  }

  @Override
  public List<Progress> progress() {
    return leading.map(RaftLeader::progress).orElse(List.of());
  }

  @Override
  public CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    if (refuses(answer)) {
      return answer;
    }
    if (!before.equals(members())) {
      fail(
          answer,
          new WeftException(
              ErrorCode.UNAVAILABLE, "the members are not " + before + " but " + members()));
    } else {
      wire.watch().note("members " + before + " are to become " + after);
      leading.get().change(after, answer);
    }
    return answer;
  }

  @Override
  public void close() {
    closed = true;
    leading = Optional.empty();
    wire.closed(memberId(), this);
  }
}
