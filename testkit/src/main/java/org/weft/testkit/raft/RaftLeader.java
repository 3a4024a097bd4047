package org.weft.testkit.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;

/** What a leader knows of the others in its term, and what it waits for. */
final class RaftLeader {
  private static final int MAX_ENTRIES = 16;
  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** As Ratis' leaders step down that do not hear a majority ({@code RatisSettings}). */
  private static final long ALONE_NANOS = TimeUnit.MILLISECONDS.toNanos(4_000);

  private static final long STAGING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Another member, as far as it has come. */
  private static final class Peer {
    private long next;
    private long match;
    private long round;
    private long heardNanos;
    private long sentNanos;
    private boolean underWay;
  }

  /**
   * A read that waits until a majority has answered in a round, and what was committed is applied.
   */
  private record Barrier(
      long round, long index, long committedWhenAsked, CompletableFuture<Void> answer) {}

  /** One that is to be added catches up first (section 4.2.1). */
  private record Staging(
      Member added, List<Member> after, long sinceNanos, CompletableFuture<Void> answer) {}

  /** A change of members that is in the log. */
  private record Change(long index, CompletableFuture<Void> answer) {}

  private final RaftMember member;
  private final RaftDisk disk;
  private final long firstIndex;
  private final SortedMap<Integer, Peer> peers = new TreeMap<>();
  private final List<Barrier> barriers = new ArrayList<>();
  private Optional<Staging> staging = Optional.empty();
  private Optional<Change> change = Optional.empty();
  private long round;

  /**
   * @param firstIndex of its own first entry
   */
  RaftLeader(RaftMember member, RaftDisk disk, long firstIndex) {
    this.member = member;
    this.disk = disk;
    this.firstIndex = firstIndex;
    peers();
  }

  long firstIndex() {
    return firstIndex;
  }

  private int self() {
    return member.memberId();
  }

  /** All that get entries: those that vote, and one that is to. */
  private SortedMap<Integer, Peer> peers() {
    List<Integer> wanted = new ArrayList<>();
    member.members().forEach(each -> wanted.add(each.memberId()));
    staging.ifPresent(each -> wanted.add(each.added().memberId()));
    wanted.remove((Integer) self());
    peers.keySet().removeIf(each -> !wanted.contains(each));
    for (int each : wanted) {
      peers.computeIfAbsent(each, this::newPeer);
    }
    return peers;
  }

  private Peer newPeer(int id) {
    Peer peer = new Peer();
    peer.next = disk.lastIndex() + 1;
    peer.heardNanos = member.nowNanos();
    return peer;
  }

  /** Something was appended. */
  void replicate() {
    peers().forEach((id, peer) -> sendIfIdle(id, peer));
  }

  private void sendIfIdle(int id, Peer peer) {
    if (!peer.underWay && peer.next <= disk.lastIndex()) {
      send(id, peer);
    }
  }

  private void send(int id, Peer peer) {
    peer.underWay = true;
    peer.sentNanos = member.nowNanos();
    Snapshot snapshot = disk.snapshot();
    if (peer.next <= snapshot.index()) {
      member.send(id, new RaftMessage.Install(self(), disk.term(), snapshot, round));
      return;
    }
    long previous = peer.next - 1;
    List<Entry> entries = disk.from(peer.next, MAX_ENTRIES);
    member.send(
        id,
        new RaftMessage.Append(
            self(),
            disk.term(),
            previous,
            disk.termOf(previous),
            entries,
            member.committed(),
            round));
  }

  /** Heartbeats, and what is due; false if it should lead no more. */
  boolean tick() {
    long now = member.nowNanos();
    peers()
        .forEach(
            (id, peer) -> {
              if (now - peer.sentNanos >= HEARTBEAT_NANOS) {
                send(id, peer);
              }
            });
    staging
        .filter(each -> now - each.sinceNanos() >= STAGING_NANOS)
        .ifPresent(
            each -> {
              staging = Optional.empty();
              member.fail(
                  each.answer(),
                  new WeftException(
                      ErrorCode.UNAVAILABLE,
                      "member " + each.added().memberId() + " does not catch up"));
            });
    return heard(now) || member.members().size() <= 1;
  }

  private boolean heard(long now) {
    return member.isMajority(
        id ->
            id == self() || peers.containsKey(id) && now - peers.get(id).heardNanos < ALONE_NANOS);
  }

  void appended(RaftMessage.Appended reply) {
    Peer peer = peers().get(reply.from());
    if (peer == null) {
      return;
    }
    peer.heardNanos = member.nowNanos();
    peer.round = Math.max(peer.round, reply.round());
    peer.underWay = false;
    if (reply.success()) {
      peer.match = Math.max(peer.match, reply.index());
      peer.next = Math.max(peer.next, peer.match + 1);
    } else {
      peer.next = Math.max(peer.match + 1, Math.min(reply.index(), peer.next - 1));
    }
    sendIfIdle(reply.from(), peer);
    caughtUp(reply.from(), peer);
    confirm();
  }

  /** The last entry of this term that a majority has (section 3.6.2); 0 if there is none. */
  long committed() {
    for (long index = disk.lastIndex();
        index >= firstIndex && index > member.committed();
        index--) {
      long asked = index;
      if (member.isMajority(id -> has(id) >= asked)) {
        return index;
      }
    }
    return 0;
  }

  private long has(int id) {
    if (id == self()) {
      return disk.durable();
    }
    Peer peer = peers.get(id);
    return peer == null ? 0 : peer.match;
  }

  /** Asks a majority whether this member still leads. */
  void barrier(long committedWhenAsked, CompletableFuture<Void> answer) {
    round++;
    barriers.add(new Barrier(round, member.committed(), committedWhenAsked, answer));
    peers().forEach(this::send);
    confirm();
  }

  /** Answers the reads for which all is there. */
  void confirm() {
    for (Barrier barrier : List.copyOf(barriers)) {
      boolean confirmed =
          member.isMajority(
              id ->
                  id == self() || peers.containsKey(id) && peers.get(id).round >= barrier.round());
      if (confirmed && member.applied() >= barrier.index()) {
        barriers.remove(barrier);
        member.confirmed(barrier.committedWhenAsked(), barrier.answer());
      }
    }
  }

  /** The change is begun; completes its answer by itself. */
  void change(List<Member> after, CompletableFuture<Void> answer) {
    if (staging.isPresent() || change.isPresent() || disk.membersIndex() > member.applied()) {
      member.fail(
          answer,
          new WeftException(ErrorCode.UNAVAILABLE, "the members are being changed already"));
      return;
    }
    List<Member> now = member.members();
    Optional<Member> added = after.stream().filter(each -> !now.contains(each)).findFirst();
    if (added.isPresent()) {
      staging = Optional.of(new Staging(added.get(), after, member.nowNanos(), answer));
      peers().get(added.get().memberId()).next = disk.snapshot().index() + 1;
      replicate();
    } else {
      append(after, answer);
    }
  }

  private void caughtUp(int id, Peer peer) {
    if (staging.isPresent()
        && staging.get().added().memberId() == id
        && peer.match >= member.committed()) {
      Staging over = staging.get();
      staging = Optional.empty();
      append(over.after(), over.answer());
    }
  }

  private void append(List<Member> after, CompletableFuture<Void> answer) {
    change = Optional.of(new Change(disk.lastIndex() + 1, answer));
    member.append(Entry.of(disk.term(), after));
  }

  /** An entry was applied here. */
  void applied(long index) {
    change
        .filter(each -> each.index() <= index)
        .ifPresent(
            each -> {
              change = Optional.empty();
              member.later(() -> each.answer().complete(null));
            });
    confirm();
  }

  List<Progress> progress() {
    List<Progress> progress = new ArrayList<>();
    for (Member voter : member.members()) {
      Peer peer = peers().get(voter.memberId());
      if (peer != null) {
        long silent = TimeUnit.NANOSECONDS.toMillis(member.nowNanos() - peer.heardNanos);
        long behind = Math.max(0, member.committed() - peer.match);
        progress.add(new Progress(voter.memberId(), behind, silent));
      }
    }
    return progress;
  }

  /** It leads no more: it is not known what becomes of what was asked. */
  void deposed(WeftException why) {
    barriers.forEach(each -> member.fail(each.answer(), why));
    staging.ifPresent(each -> member.fail(each.answer(), why));
    change.ifPresent(each -> member.fail(each.answer(), why));
  }
}
