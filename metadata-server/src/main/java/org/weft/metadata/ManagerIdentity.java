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
 */
record ManagerIdentity(String identity, Optional<ClusterId> cluster, int managerId) {
  ManagerIdentity {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(cluster, "cluster");
  }

  ManagerIdentity joined(ClusterId joinedCluster, int issuedId) {
    return new ManagerIdentity(identity, Optional.of(joinedCluster), issuedId);
  }

  /** "manager-3", as it calls itself. */
  String name() {
    return managerId == 0 ? "manager" : "manager-" + managerId;
  }
}
