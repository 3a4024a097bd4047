package org.weft.sysmgr.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.protocol.rpc.Endpoint;

/**
 * Addresses of NFS that this leader is giving to a gateway, or to none, at this moment (P 6.5f). It
 * judges an address silent before it proposes that; so that what was judged is still true when the
 * record is applied, nothing else is proposed for the address meanwhile. No other member proposes
 * anything then, and what an earlier leader proposed is applied before this one judges.
 *
 * <p>The rule itself compares nothing: members of earlier releases apply the same record, and would
 * not. Confined to the home executor.
 */
final class TakesUnderWay {
  /** In the place of a gateway: hosts of the address are being forgotten. */
  static final String NO_GATEWAY = "";

  private record Take(String by, int count) {}

  private final Map<String, Take> byServer = new HashMap<>();

  /** Nothing is under way for the address, or repeats of the same taker's. */
  boolean mayTake(Endpoint server, String by) {
    Take take = byServer.get(server.toString());
    return take == null || take.by().equals(by);
  }

  /** To be ended whatever becomes of it. */
  void begin(List<Endpoint> servers, String by) {
    for (Endpoint server : servers) {
      byServer.merge(
          server.toString(), new Take(by, 1), (now, one) -> new Take(by, now.count() + 1));
    }
  }

  void end(List<Endpoint> servers) {
    for (Endpoint server : servers) {
      byServer.computeIfPresent(
          server.toString(),
          (text, now) -> now.count() == 1 ? null : new Take(now.by(), now.count() - 1));
    }
  }
}
