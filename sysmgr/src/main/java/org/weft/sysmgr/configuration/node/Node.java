package org.weft.sysmgr.configuration.node;

import java.util.List;
import org.weft.protocol.rpc.Endpoint;

/**
 * The fields that OSDs and managers have in common.
 *
 * @param identity made when its data directory was formatted
 * @param addresses where it is reached; empty after another node has taken them
 * @param host its fault domain
 * @param incarnation grows with each start
 * @param sinceMillis wall time since when it has been so; to show
 * @param stopped with DOWN: it said itself that it stops
 * @param storeFailure with DOWN, of an OSD: why its store takes no changes any more, as it said;
 *     then this incarnation stays DOWN. Empty: it did not say so
 */
public record Node(
    String identity,
    List<Endpoint> addresses,
    String host,
    long incarnation,
    Liveness liveness,
    long sinceMillis,
    boolean stopped,
    String storeFailure) {
  public Node {
    addresses = List.copyOf(addresses);
  }

  /**
   * It is judged so from now on.
   *
   * @param nowStopped it said itself that it stops
   * @param nowMillis wall time
   */
  public Node with(Liveness changed, boolean nowStopped, long nowMillis) {
    return new Node(
        identity, addresses, host, incarnation, changed, nowMillis, nowStopped, storeFailure);
  }

  /** Its store takes no changes any more, for that reason; empty: it does. */
  public Node withStoreFailure(String said) {
    return new Node(identity, addresses, host, incarnation, liveness, sinceMillis, stopped, said);
  }

  /** Its store takes no changes until it is started again. */
  public boolean storeFailed() {
    return !storeFailure.isEmpty();
  }

  /** Without these addresses, which another node has now. */
  public Node without(List<Endpoint> taken) {
    if (addresses.stream().noneMatch(taken::contains)) {
      return this;
    }
    List<Endpoint> kept = addresses.stream().filter(own -> !taken.contains(own)).toList();
    return new Node(
        identity, kept, host, incarnation, liveness, sinceMillis, stopped, storeFailure);
  }
}
