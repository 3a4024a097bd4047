package org.weft.sysmgr.status;

import java.util.List;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;

/** Reports what clients of NFS will be refused before long. */
final class NfsRules {
  private static final int MANY = NfsMonitor.MAX_WATCHED * 8 / 10;

  private NfsRules() {}

  static List<Finding> findings(StatusView view) {
    int hosts = view.configuration().nfs().monitor().watched().size();
    return hosts < MANY
        ? List.of()
        : List.of(
            Finding.warning(
                "nfs-hosts",
                "",
                "More than %,d hosts with locks are recorded; at %,d others get no locks (ENOLCK)."
                    .formatted(MANY, NfsMonitor.MAX_WATCHED),
                "`weft nfs clients` shows them; `weft nfs locks forget HOST` for those that are gone"
                    + " for good."));
  }
}
