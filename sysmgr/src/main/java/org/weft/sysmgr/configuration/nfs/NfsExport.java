package org.weft.sysmgr.configuration.nfs;

import java.util.List;

/**
 * A directory that NFS clients may mount. Where its path leads is looked up by the gateways.
 *
 * @param id stands in handles; never used for another export
 * @param path absolute, without a slash at its end
 * @param clients addresses or ranges such as 10.1.0.0/16; one at least
 * @param insecure calls from ports from 1024 on are taken, too
 * @param manageGids groups of users are looked up; what clients state of them counts no more
 */
public record NfsExport(
    int id,
    String path,
    List<String> clients,
    boolean readOnly,
    NfsSquash squash,
    boolean insecure,
    boolean manageGids) {
  public NfsExport {
    clients = List.copyOf(clients);
  }
}
