package org.weft.sysmgr.service;

import java.util.HashMap;
import java.util.Map;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Ticker;

/**
 * For how long no gateway has said that it has an address (P 6.5f). A leader that has just begun
 * has heard of none, and calls none silent for longer than it leads. Confined to the home executor.
 */
final class SilentAddresses {
  private static final int MANY = 2_000;

  private final Leadership leadership;
  private final Ticker ticker;
  private final Map<String, Long> heardNanos = new HashMap<>();

  SilentAddresses(Leadership leadership, Ticker ticker) {
    this.leadership = leadership;
    this.ticker = ticker;
  }

  /** A gateway has said that the address is its own. */
  void heard(Endpoint server) {
    if (heardNanos.size() >= MANY) {
      long now = ticker.nowNanos();
      heardNanos.values().removeIf(at -> now - at > NfsForgetting.OLD_NANOS);
    }
    heardNanos.put(server.toString(), ticker.nowNanos());
  }

  /** Not heard for so long, or longer. */
  boolean isSilent(Endpoint server, long nanos) {
    Long at = heardNanos.get(server.toString());
    return leadership.ledNanos() >= nanos && (at == null || ticker.nowNanos() - at >= nanos);
  }
}
