package org.weft.nfs.exports;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.weft.client.ids.NodeId;
import org.weft.protocol.rpc.Network;

/**
 * A directory that clients may mount.
 *
 * @param id part of handles; never used for another export
 * @param path absolute, as clients name it
 * @param root the directory; empty as long as it is not known where the path leads
 * @param clients addresses that it is for; none is for all
 * @param readOnly changes are refused
 * @param insecure calls from ports from 1024 on are taken, too
 * @param manageGids groups of users are looked up here; of a client's own statement only the first
 *     group counts
 */
public record Export(
    int id,
    String path,
    Optional<NodeId> root,
    List<Network> clients,
    boolean readOnly,
    Squash squash,
    boolean insecure,
    boolean manageGids) {
  private static final int FIRST_OPEN_PORT = 1_024;

  public Export {
    clients = List.copyOf(clients);
    if (!path.startsWith("/") || (path.length() > 1 && path.endsWith("/"))) {
      throw new IllegalArgumentException(
          "the path of an export begins with a slash and ends without one, got '" + path + "'");
    }
  }

  /** An export of clients that state groups themselves. */
  public Export(
      int id,
      String path,
      Optional<NodeId> root,
      List<Network> clients,
      boolean readOnly,
      Squash squash,
      boolean insecure) {
    this(id, path, root, clients, readOnly, squash, insecure, false);
  }

  /** The same with its directory, as far as that is known. */
  public Export at(Optional<NodeId> place) {
    return new Export(id, path, place, clients, readOnly, squash, insecure, manageGids);
  }

  /** An export whose directory is known. */
  public Export(
      int id,
      String path,
      NodeId root,
      List<Network> clients,
      boolean readOnly,
      Squash squash,
      boolean insecure) {
    this(id, path, Optional.of(root), clients, readOnly, squash, insecure);
  }

  /** May this client use it, calling from that port? */
  public boolean admits(InetSocketAddress client) {
    return (insecure || isReserved(client))
        && (clients.isEmpty()
            || clients.stream().anyMatch(network -> network.contains(client.getAddress())));
  }

  /** Only the superuser of a client can call from such a port. */
  public static boolean isReserved(InetSocketAddress client) {
    return client.getPort() < FIRST_OPEN_PORT;
  }
}
