package org.weft.sysmgr.service;

import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;

/** Which users may change volumes and managers (simple authentication). */
final class Administrators {
  private static final String SUPERGROUP = "supergroup";

  private final ReplicatedConfiguration configuration;

  Administrators(ReplicatedConfiguration configuration) {
    this.configuration = configuration;
  }

  /**
   * Refuses all but the superuser and members of supergroup.
   *
   * @param what completes "user x may not ..."
   */
  void require(String what, String user, List<String> groups) throws WeftException {
    String superuser = configuration.current().cluster().map(Cluster::superuser).orElse("");
    boolean may = (!user.isEmpty() && user.equals(superuser)) || groups.contains(SUPERGROUP);
    if (!may) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + user
              + " may not "
              + what
              + "; only "
              + superuser
              + " and members of "
              + SUPERGROUP
              + " may");
    }
  }
}
