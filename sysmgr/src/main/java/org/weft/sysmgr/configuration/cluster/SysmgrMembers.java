package org.weft.sysmgr.configuration.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * SysMgr's own members, as the configuration notes them. Which members the log has is the log's own
 * matter. This is what was last noted of it, and what an operator wants to be changed.
 *
 * @param members ascending
 * @param candidates processes that wait to be added, the newest last
 * @param lastId ids up to here have been given out and are never given again. A member that lost
 *     its disk has forgotten its votes, so it must come back as another one
 * @param change under way
 * @param ended changes that ended last, the newest last
 * @param commandsUsed commands up to this number stand in the log (P 6.8.155)
 */
public record SysmgrMembers(
    List<Member> members,
    List<Member> candidates,
    int lastId,
    Optional<MemberChange> change,
    List<MemberChange> ended,
    int commandsUsed) {
  /** Most processes that may wait. */
  public static final int MAX_CANDIDATES = 16;

  /** Most members that there may be. */
  public static final int MAX_MEMBERS = 5;

  private static final int MAX_ENDED = 16;

  /** Before anything is noted. */
  public static final SysmgrMembers NONE =
      new SysmgrMembers(List.of(), List.of(), 0, Optional.empty(), List.of(), 0);

  public SysmgrMembers {
    members = List.copyOf(members);
    candidates = List.copyOf(candidates);
    ended = List.copyOf(ended);
  }

  /** The member of that id. */
  public Optional<Member> member(int id) {
    return find(members, id);
  }

  /** The candidate of that id. */
  public Optional<Member> candidate(int id) {
    return find(candidates, id);
  }

  /** The change of that nonce that has ended, if it is remembered. */
  public Optional<MemberChange> ended(long nonce) {
    return ended.stream().filter(each -> each.nonce() == nonce).findFirst();
  }

  /** The member of that id among these. */
  static Optional<Member> find(List<Member> all, int id) {
    return all.stream().filter(each -> each.memberId() == id).findFirst();
  }

  /** A process waits to be added: in the place of one that has its id or an address of it. */
  public SysmgrMembers enlisted(Member candidate) {
    List<Member> waiting = new ArrayList<>(candidates);
    waiting.removeIf(
        each ->
            each.memberId() == candidate.memberId()
                || each.rpc().equals(candidate.rpc())
                || each.log().equals(candidate.log()));
    waiting.add(candidate);
    if (waiting.size() > MAX_CANDIDATES) {
      waiting.remove(0);
    }
    return new SysmgrMembers(
        members, waiting, Math.max(lastId, candidate.memberId()), change, ended, commandsUsed);
  }

  /** That change is under way. */
  public SysmgrMembers begun(MemberChange wanted) {
    return new SysmgrMembers(members, candidates, lastId, Optional.of(wanted), ended, commandsUsed);
  }

  /** A command of that number stands in the log. */
  public SysmgrMembers using(int number) {
    return number <= commandsUsed
        ? this
        : new SysmgrMembers(members, candidates, lastId, change, ended, number);
  }

  /**
   * The log has these members now.
   *
   * @param over the change that ended by that, as it ended; empty: none did
   */
  public SysmgrMembers settled(List<Member> now, Optional<MemberChange> over) {
    List<Member> waiting = new ArrayList<>(candidates);
    waiting.removeIf(each -> find(now, each.memberId()).isPresent());
    int last = Math.max(lastId, now.stream().mapToInt(Member::memberId).max().orElse(0));
    List<MemberChange> remembered = new ArrayList<>(ended);
    over.ifPresent(remembered::add);
    if (remembered.size() > MAX_ENDED) {
      remembered.remove(0);
    }
    return new SysmgrMembers(
        now, waiting, last, over.isPresent() ? Optional.empty() : change, remembered, commandsUsed);
  }
}
