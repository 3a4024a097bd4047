package org.weft.hadoop.config;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;

/**
 * The cluster that a name leads to. {@code weft://host:port/} names one of its contacts, and {@code
 * weft://HOST:PORT,HOST:PORT/} several contacts of one cluster. {@code weft://NAME/} names a
 * cluster whose addresses the configuration has.
 *
 * @param uri scheme and authority
 * @param logical the authority is a name, no address
 */
public record ClusterAddress(
    URI uri, List<Endpoint> sysmgrs, Optional<ClusterId> clusterId, boolean logical) {
  /** Scheme of the connector's URIs. */
  public static final String SCHEME = "weft";

  /** Port of SysMgr, where a URI names none. */
  public static final int DEFAULT_PORT = 7300;

  public ClusterAddress {
    sysmgrs = List.copyOf(sysmgrs);
  }

  /**
   * Reads the name of a file system.
   *
   * @throws IllegalArgumentException if it has no authority, or an address is none
   */
  public static ClusterAddress of(URI name, Configuration conf) {
    String authority = name.getAuthority();
    if (authority == null || authority.isEmpty()) {
      throw new IllegalArgumentException(
          name
              + ": a cluster is missing; write weft://HOST:PORT/ or weft://NAME/ with "
              + ConnectorKey.ADDRESSES.key());
    }
    URI uri = URI.create(SCHEME + "://" + authority);
    String addresses = conf.getTrimmed(ConnectorKey.ADDRESSES.keyOf(authority), "");
    Optional<ClusterId> expected =
        Optional.of(conf.getTrimmed(ConnectorKey.CLUSTER_ID.keyOf(authority), ""))
            .filter(id -> !id.isEmpty())
            .map(ClusterId::new);
    if (addresses.isEmpty() && authority.contains(",")) {
      return new ClusterAddress(uri, contacts(authority, authority), expected, true);
    }
    return addresses.isEmpty()
        ? new ClusterAddress(uri, List.of(contact(name, authority)), expected, false)
        : new ClusterAddress(uri, contacts(authority, addresses), expected, true);
  }

  private static Endpoint contact(URI name, String authority) {
    if (name.getHost() == null || name.getUserInfo() != null) {
      throw new IllegalArgumentException(
          name
              + ": '"
              + authority
              + "' is no address; "
              + ConnectorKey.ADDRESSES.keyOf(authority)
              + " would make it the name of a cluster");
    }
    return new Endpoint(name.getHost(), name.getPort() < 0 ? DEFAULT_PORT : name.getPort());
  }

  private static List<Endpoint> contacts(String cluster, String addresses) {
    try {
      return Endpoint.parseAll(addresses);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          ConnectorKey.ADDRESSES.keyOf(cluster) + ": " + e.getMessage(), e);
    }
  }
}
