package org.weft.nfs.daemon;

import java.util.List;
import org.weft.protocol.rpc.Endpoint;

/**
 * How a gateway finds its cluster, and its bounds.
 *
 * @param listen where clients reach it; port 0 takes any free one
 * @param advertised the address for clients and SysMgr
 * @param sysmgrs addresses of SysMgr, one or more
 * @param joinToken as managers and OSDs have it: the cluster believes the gateway on whose behalf
 *     it asks
 * @param host where it runs, to show
 * @param memoryBytes memory outside the heap, for calls and replies under way, and for whole
 *     stripes that were answered UNSTABLE. At most half as many UNSTABLE bytes wait; pieces of
 *     stripes are copies on the heap. In addition, as many bytes at most are on their way to OSDs,
 *     and one stripe of each file that is written. A quarter of it is fetched ahead of readers
 * @param clientPortmapPort the portmapper port of clients, where the port of their lock managers is
 *     looked up
 * @param hostIds this host is asked for users and groups that the cluster's table does not have
 * @param manager number of the manager in whose process it runs; 0: in one of its own
 */
public record NfsOptions(
    Endpoint listen,
    Endpoint advertised,
    List<Endpoint> sysmgrs,
    byte[] joinToken,
    String host,
    PortmapMode portmap,
    long memoryBytes,
    int clientPortmapPort,
    boolean hostIds,
    int manager) {
  private static final int PORTMAP_PORT = 111;

  /** The part of the memory for calls and replies that is fetched ahead of readers in addition. */
  private static final int AHEAD_PART = 4;

  public NfsOptions {
    sysmgrs = List.copyOf(sysmgrs);
    joinToken = joinToken.clone();
  }

  /** With clients whose portmappers are where they usually are. */
  public NfsOptions(
      Endpoint listen,
      Endpoint advertised,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String host,
      PortmapMode portmap,
      long memoryBytes) {
    this(listen, advertised, sysmgrs, joinToken, host, portmap, memoryBytes, PORTMAP_PORT);
  }

  /** In a process of its own. */
  public NfsOptions(
      Endpoint listen,
      Endpoint advertised,
      List<Endpoint> sysmgrs,
      byte[] joinToken,
      String host,
      PortmapMode portmap,
      long memoryBytes,
      int clientPortmapPort) {
    this(
        listen,
        advertised,
        sysmgrs,
        joinToken,
        host,
        portmap,
        memoryBytes,
        clientPortmapPort,
        false,
        0);
  }

  /** Outside the heap, fetched ahead of readers. */
  long aheadBytes() {
    return memoryBytes / AHEAD_PART;
  }

  /** All that a gateway with so much memory for calls and replies may take outside the heap. */
  public static long outsideHeapBytes(long memoryBytes) {
    return 2 * memoryBytes + memoryBytes / AHEAD_PART;
  }

  /** The same in the process of that manager. */
  public NfsOptions beside(int managerNumber) {
    return with(hostIds, managerNumber);
  }

  /** The same with or without the host's users and groups. */
  public NfsOptions withHostIds(boolean wanted) {
    return with(wanted, manager);
  }

  private NfsOptions with(boolean newHostIds, int newManager) {
    return new NfsOptions(
        listen,
        advertised,
        sysmgrs,
        joinToken,
        host,
        portmap,
        memoryBytes,
        clientPortmapPort,
        newHostIds,
        newManager);
  }
}
