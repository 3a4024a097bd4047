package org.weft.metadata;

import java.util.Objects;
import java.util.Optional;
import org.weft.protocol.id.ClusterId;

/**
 * Who a manager is, as its data directory says.
 *
 * @param identity 32 hexadecimal digits, drawn when the directory was formatted
 * @param cluster empty until the first join
 * @param managerId 0 until the first join
 * @param incarnation 1 for the first start on the directory, one more for each later one
 */
record ManagerIdentity(
    String identity, Optional<ClusterId> cluster, int managerId, long incarnation) {
  ManagerIdentity {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(cluster, "cluster");
  }

  ManagerIdentity joined(ClusterId joinedCluster, int issuedId) {
    return new ManagerIdentity(identity, Optional.of(joinedCluster), issuedId, incarnation);
  }

  ManagerIdentity startedAgain() {
    return new ManagerIdentity(identity, cluster, managerId, incarnation + 1);
  }

  /** "manager-3", as it calls itself. */
  String name() {
    return managerId == 0 ? "manager" : "manager-" + managerId;
  }
}
