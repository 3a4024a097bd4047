package org.weft.testkit.raft;

import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * How a member asks for votes and gives its own (sections 3.4 and 9.6). Times are those of {@code
 * RatisSettings}. One step at a time, as its member.
 */
final class RaftElection {
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private enum State {
    WAITING,
    /** Asks whether there would be votes. */
    TRYING,
    CANDIDATE
  }

  private final RaftMember member;
  private final RaftDisk disk;
  private final RandomGenerator random;
  private final SortedSet<Integer> votes = new TreeSet<>();
  private State state = State.WAITING;
  private long heardLeaderNanos;
  private long dueNanos;

  RaftElection(RaftMember member, RaftDisk disk, RandomGenerator random) {
    this.member = member;
    this.disk = disk;
    this.random = random;
  }

  /** The process starts: no leader was heard. */
  void begin() {
    heardLeaderNanos = member.nowNanos() - MIN_NANOS;
    reset();
  }

  /** It waits anew until it asks for votes. */
  void reset() {
    state = State.WAITING;
    dueNanos = member.nowNanos() + MIN_NANOS + random.nextLong(MAX_NANOS - MIN_NANOS);
  }

  void heardLeader() {
    heardLeaderNanos = member.nowNanos();
    reset();
  }

  /** A member that votes and does not lead. */
  void tick() {
    if (member.nowNanos() - dueNanos >= 0) {
      ask(true, false);
    }
  }

  /** As one does that the leader has asked to (section 3.10). */
  void force() {
    ask(false, true);
  }

  private void ask(boolean trial, boolean forced) {
    reset();
    state = trial ? State.TRYING : State.CANDIDATE;
    member.forgetLeader();
    if (!trial) {
      disk.vote(disk.term() + 1, member.memberId());
    }
    votes.clear();
    long last = disk.lastIndex();
    RaftMessage question =
        new RaftMessage.AskVote(
            member.memberId(),
            disk.term() + (trial ? 1 : 0),
            last,
            disk.termOf(last),
            trial,
            forced);
    for (Member other : member.members()) {
      if (other.memberId() != member.memberId()) {
        member.send(other.memberId(), question);
      }
    }
    count(member.memberId());
  }

  void voted(RaftMessage.Vote vote) {
    boolean current = state == (vote.trial() ? State.TRYING : State.CANDIDATE);
    if (current && vote.granted() && vote.term() <= disk.term()) {
      count(vote.from());
    }
  }

  private void count(int by) {
    votes.add(by);
    if (!member.isMajority(votes::contains)) {
      return;
    }
    if (state == State.TRYING) {
      ask(false, false);
    } else if (state == State.CANDIDATE) {
      state = State.WAITING;
      member.lead();
    }
  }

  /** One that hears a leader takes no part in the election of another (section 4.2.3). */
  void asked(RaftMessage.AskVote question) {
    boolean hasLeader = member.leads() || member.nowNanos() - heardLeaderNanos < MIN_NANOS;
    if (hasLeader && !question.forced()) {
      answer(question, false);
      return;
    }
    if (question.term() > disk.term() && !question.trial()) {
      member.follow(question.term());
    }
    long last = disk.lastIndex();
    boolean asLong =
        question.lastTerm() > disk.termOf(last)
            || question.lastTerm() == disk.termOf(last) && question.lastIndex() >= last;
    boolean free =
        question.trial()
            ? question.term() > disk.term()
            : question.term() == disk.term()
                && (disk.votedFor() == 0 || disk.votedFor() == question.from());
    boolean granted = asLong && free;
    if (granted && !question.trial()) {
      disk.vote(question.term(), question.from());
      reset();
    }
    answer(question, granted);
  }

  private void answer(RaftMessage.AskVote question, boolean granted) {
    member.send(
        question.from(),
        new RaftMessage.Vote(member.memberId(), disk.term(), question.trial(), granted));
  }
}
