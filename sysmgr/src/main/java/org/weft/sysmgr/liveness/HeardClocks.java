package org.weft.sysmgr.liveness;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.weft.sysmgr.configuration.node.NodeKey;

/**
 * By how much each node's wall clock is ahead of this leader's, as its heartbeats tell. No rule
 * rests on it; it is to be shown. Written by one thread, read by any.
 */
public final class HeardClocks {
  private final SortedMap<NodeKey, Long> aheadMillis = new ConcurrentSkipListMap<>();

  /** This member leads from now on. */
  public void begin() {
    aheadMillis.clear();
  }

  /**
   * A heartbeat.
   *
   * @param clockMillis the node's clock when it sent that; 0: not told
   * @param roundTripMillis at most so long it was under way
   */
  public void heard(NodeKey node, long clockMillis, long roundTripMillis, long nowMillis) {
    if (clockMillis == 0) {
      return;
    }
    long least = clockMillis - nowMillis;
    long most = least + Math.max(0, roundTripMillis);
    // The smallest difference that the message bears out.
    aheadMillis.put(node, least > 0 ? least : Math.min(0, most));
  }

  /** Milliseconds ahead, negative: behind. */
  public SortedMap<NodeKey, Long> aheadMillis() {
    return new TreeMap<>(aheadMillis);
  }
}
