package org.weft.sysmgr.replication.ratis;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.weft.protocol.rpc.Endpoint;

/**
 * Where a member of the log lives, and who the others are.
 *
 * @param directory Ratis' own; made if it is missing
 * @param groupId the same on all members of this log, and of no other
 * @param memberId which of the members this is
 * @param members 1, 3 or 5
 * @param listen where the other members are heard
 * @param snapshotEveryEntries entries between two snapshots; what lies before is dropped from the
 *     log
 */
public record RatisOptions(
    Path directory,
    UUID groupId,
    int memberId,
    List<Member> members,
    Endpoint listen,
    int snapshotEveryEntries) {
  /** Entries between two snapshots unless a test wants another number. */
  public static final int DEFAULT_SNAPSHOT_EVERY = 2_000;

  /**
   * A member.
   *
   * @param rpc what {@link org.weft.protocol.seam.ReplicatedLog#leader} says while it leads
   * @param ratis where it is reached by the others
   */
  public record Member(int memberId, Endpoint rpc, Endpoint ratis) {}

  public RatisOptions {
    members = List.copyOf(members);
  }

  /** True if there are no other members to hear. */
  boolean single() {
    return members.size() == 1;
  }

  /** The address to listen on: a single member is reached by no other machine. */
  Endpoint bound() {
    return single()
        ? new Endpoint(InetAddress.getLoopbackAddress().getHostAddress(), listen.port())
        : listen;
  }
}
