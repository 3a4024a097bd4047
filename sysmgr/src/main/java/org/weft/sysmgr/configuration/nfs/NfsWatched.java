package org.weft.sysmgr.configuration.nfs;

import java.util.Comparator;
import org.weft.protocol.rpc.Endpoint;

/**
 * A host that has locked files by way of an NFS gateway (P 6.5f).
 *
 * @param server the gateway's address that it calls
 * @param client its own address
 * @param name how it names itself in its locks
 */
public record NfsWatched(Endpoint server, String client, String name)
    implements Comparable<NfsWatched> {
  public static final int MAX_NAME_CHARS = 255;

  private static final Comparator<NfsWatched> ORDER =
      Comparator.comparing((NfsWatched each) -> each.server().toString())
          .thenComparing(NfsWatched::client)
          .thenComparing(NfsWatched::name);

  @Override
  public int compareTo(NfsWatched other) {
    return ORDER.compare(this, other);
  }
}
