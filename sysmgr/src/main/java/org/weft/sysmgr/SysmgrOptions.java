package org.weft.sysmgr;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.service.OsdPatience;

/**
 * What a member of SysMgr is told at its start.
 *
 * @param dataDirectory made and formatted at the first start; holds nothing else
 * @param memberId which of the members this is; 0: the one whose data directory it is, else 1
 * @param members 1, 3 or 5 first members, alike on each of them; they count only while there is no
 *     cluster. Just this one, where others are to add it
 * @param listen address of requests; port 0 takes any free one
 * @param rest address of the REST interface and the status page; port 0 takes any free one
 * @param ratis address on which the other members are heard; port 0 only for one that stays single
 * @param clusterName a name for people, 1..64 letters, digits, '-', '_' or '.'
 * @param superuser the user that makes the cluster; counts only at the very first start
 * @param patience how long managers may be unable to use an OSD
 * @param join whose members are to add this one, where its data directory is new
 */
public record SysmgrOptions(
    Path dataDirectory,
    int memberId,
    List<SysmgrMember> members,
    Endpoint listen,
    Endpoint rest,
    Endpoint ratis,
    String clusterName,
    String superuser,
    OsdPatience patience,
    Optional<JoinPlan> join) {
  private static final int MAX_USER_LENGTH = 255;

  /** With the usual patience. */
  public SysmgrOptions(
      Path dataDirectory,
      int memberId,
      List<SysmgrMember> members,
      Endpoint listen,
      Endpoint rest,
      Endpoint ratis,
      String clusterName,
      String superuser) {
    this(
        dataDirectory,
        memberId,
        members,
        listen,
        rest,
        ratis,
        clusterName,
        superuser,
        OsdPatience.DEFAULT,
        Optional.empty());
  }

  /**
   * A cluster that a process wants to be a member of.
   *
   * @param sysmgrs RPC addresses of members, asked in turn
   * @param token the join token
   */
  public record JoinPlan(List<Endpoint> sysmgrs, byte[] token) {
    public JoinPlan {
      sysmgrs = List.copyOf(sysmgrs);
      token = token.clone();
    }
  }

  /**
   * The same, of a process that members of that cluster are to add. Where it is none of the first
   * members it is where it listens.
   */
  public SysmgrOptions joining(JoinPlan plan) {
    return new SysmgrOptions(
        dataDirectory,
        memberId,
        memberId == 0 ? List.of(listening()) : members,
        listen,
        rest,
        ratis,
        clusterName,
        superuser,
        patience,
        Optional.of(plan));
  }

  public SysmgrOptions {
    members = List.copyOf(members);
    int count = members.size();
    if (count != 1 && count != 3 && count != 5) {
      throw new IllegalArgumentException("SysMgr has 1, 3 or 5 members, got " + count);
    }
    if (members.stream().mapToInt(SysmgrMember::memberId).distinct().count() != count) {
      throw new IllegalArgumentException("two SysMgr members have the same id: " + members);
    }
    int self = Math.max(1, memberId);
    if (members.stream().noneMatch(member -> member.memberId() == self)) {
      throw new IllegalArgumentException(
          "member " + memberId + " is not in the list of members " + members);
    }
    if (!clusterName.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "a cluster name has 1..64 letters, digits, '.', '-' or '_', got '" + clusterName + "'");
    }
    if (superuser.isBlank() || superuser.length() > MAX_USER_LENGTH) {
      throw new IllegalArgumentException("the superuser needs a name of 1..255 characters");
    }
  }

  /** A SysMgr of one member. */
  public static SysmgrOptions single(
      Path dataDirectory,
      Endpoint listen,
      Endpoint rest,
      Endpoint ratis,
      String clusterName,
      String superuser) {
    return new SysmgrOptions(
        dataDirectory,
        1,
        List.of(new SysmgrMember(1, listen, ratis)),
        listen,
        rest,
        ratis,
        clusterName,
        superuser);
  }

  private SysmgrMember listening() {
    return new SysmgrMember(1, listen, ratis);
  }

  /**
   * Where a member is that was added to others. A configuration without a number of its own names
   * the first members, and this process is none of them.
   */
  public SysmgrMember joined() {
    return memberId == 0 ? listening() : self();
  }

  /** This member's row in the list. */
  public SysmgrMember self() {
    return members.stream()
        .filter(member -> member.memberId() == Math.max(1, memberId))
        .findFirst()
        .orElseThrow();
  }
}
