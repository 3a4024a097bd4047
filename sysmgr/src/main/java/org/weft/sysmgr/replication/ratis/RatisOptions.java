package org.weft.sysmgr.replication.ratis;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Member;

/**
 * Where a member of the log lives, and which members the others are.
 *
 * @param directory Ratis' own; made if it is missing
 * @param groupId the same on all members of this log, and of no other
 * @param memberId which of the members this is
 * @param members the first members; of no account once the log knows its own. Empty: this one waits
 *     until the members of a log add it
 * @param rpc what {@link org.weft.protocol.seam.ReplicatedLog#leader} says while this member leads
 * @param listen where the other members are heard
 * @param snapshotEveryEntries entries between two snapshots; what lies before is dropped from the
 *     log
 */
public record RatisOptions(
    Path directory,
    UUID groupId,
    int memberId,
    List<Member> members,
    Endpoint rpc,
    Endpoint listen,
    int snapshotEveryEntries) {
  /** Entries between two snapshots unless a test wants another number. */
  public static final int DEFAULT_SNAPSHOT_EVERY = 2_000;

  public RatisOptions {
    members = List.copyOf(members);
  }

  /** True if there are no other members at first. */
  boolean single() {
    return members.size() == 1;
  }
}
