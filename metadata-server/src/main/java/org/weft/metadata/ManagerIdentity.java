package org.weft.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.weft.protocol.id.ClusterId;

/**
 * The identity of a manager, as its data directory says.
 *
 * @param identity 32 hexadecimal digits, drawn when the directory was formatted
 * @param cluster empty until the first join
 * @param managerId 0 until the first join
 * @param incarnation 1 for the first start on the directory, one more for each later one
 * @param starts ids of the last start that the cluster let in, and of those since; the last one is
 *     this start's (P 5.10)
 * @param life of the machine and the folder in which this start uses the directory
 * @param oneLife all of these starts were in that life: as the directory is locked, all but this
 *     one have ended. On a copy this is false until one of its starts is let in, however often it
 *     is started. The last start that was let in may go on in the original
 */
record ManagerIdentity(
    String identity,
    Optional<ClusterId> cluster,
    int managerId,
    long incarnation,
    List<Long> starts,
    String life,
    boolean oneLife) {
  private static final int MAX_STARTS = 128;

  ManagerIdentity {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(cluster, "cluster");
    starts = List.copyOf(starts);
  }

  /** After this start was let in: it is the only one that is remembered. */
  ManagerIdentity joined(ClusterId joinedCluster, int issuedId) {
    return new ManagerIdentity(
        identity,
        Optional.of(joinedCluster),
        issuedId,
        incarnation,
        List.of(startId()),
        life,
        true);
  }

  long startId() {
    return starts.get(starts.size() - 1);
  }

  ManagerIdentity startedAgain(long startId, String lifeNow) {
    List<Long> more = new ArrayList<>(starts);
    more.add(startId);
    if (more.size() > MAX_STARTS) {
      more.remove(1);
    }
    return new ManagerIdentity(
        identity,
        cluster,
        managerId,
        incarnation + 1,
        more,
        lifeNow,
        starts.isEmpty() || oneLife && life.equals(lifeNow));
  }

  /** "manager-3", as it calls itself. */
  String name() {
    return managerId == 0 ? "manager" : "manager-" + managerId;
  }
}
