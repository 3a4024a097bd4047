package org.weft.testkit.raft;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * What a member keeps: its term and vote, its last snapshot, and the entries after that. It
 * outlives the process. Terms, votes, cuts and snapshots are durable at once; an entry is so once
 * the member has synced it.
 *
 * <p>Fault model: {@link #losePower} drops what was not synced; a killed process loses nothing that
 * it wrote. A disk that is lost is another object: make a new one.
 */
public final class RaftDisk {
  private final List<Entry> entries = new ArrayList<>();
  private Snapshot snapshot;
  private long term;
  private int votedFor;
  private long durable;

  /**
   * Of a new member.
   *
   * @param first members that vote from the beginning; none: the member waits until others add it
   */
  public RaftDisk(List<Member> first) {
    snapshot = Snapshot.empty(List.copyOf(first));
  }

  /** The machine has lost its power. */
  public void losePower() {
    while (lastIndex() > durable) {
      entries.remove(entries.size() - 1);
    }
  }

  long term() {
    return term;
  }

  int votedFor() {
    return votedFor;
  }

  void vote(long inTerm, int member) {
    term = inTerm;
    votedFor = member;
  }

  Snapshot snapshot() {
    return snapshot;
  }

  long lastIndex() {
    return snapshot.index() + entries.size();
  }

  long durable() {
    return durable;
  }

  void synced(long upTo) {
    durable = Math.max(durable, Math.min(upTo, lastIndex()));
  }

  long termOf(long index) {
    return index == snapshot.index() ? snapshot.term() : entry(index).term();
  }

  Entry entry(long index) {
    return entries.get((int) (index - snapshot.index()) - 1);
  }

  /** At most so many from that one on. */
  List<Entry> from(long index, int most) {
    int first = (int) (index - snapshot.index()) - 1;
    return List.copyOf(entries.subList(first, Math.min(entries.size(), first + most)));
  }

  void append(Entry entry) {
    entries.add(entry);
  }

  /** That entry and all behind it are another leader's: they go. */
  void cutFrom(long index) {
    entries.subList((int) (index - snapshot.index()) - 1, entries.size()).clear();
    durable = Math.min(durable, lastIndex());
  }

  /** Entries up to the snapshot's go; those behind it stay if they follow it. */
  void replace(Snapshot next) {
    boolean follows =
        next.index() <= lastIndex()
            && next.index() >= snapshot.index()
            && termOf(next.index()) == next.term();
    if (follows) {
      entries.subList(0, (int) (next.index() - snapshot.index())).clear();
    } else {
      entries.clear();
    }
    snapshot = next;
    durable = Math.max(next.index(), Math.min(durable, lastIndex()));
  }

  /** The members that vote, as the log says up to that entry, committed or not (section 4.1). */
  List<Member> membersAt(long index) {
    for (long each = index; each > snapshot.index(); each--) {
      if (entry(each).members().isPresent()) {
        return entry(each).members().get();
      }
    }
    return snapshot.members();
  }

  /** Where {@link #membersAt} of the last entry has it from. */
  long membersIndex() {
    for (long each = lastIndex(); each > snapshot.index(); each--) {
      if (entry(each).members().isPresent()) {
        return each;
      }
    }
    return snapshot.index();
  }
}
