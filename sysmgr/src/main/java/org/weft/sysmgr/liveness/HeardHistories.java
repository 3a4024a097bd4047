package org.weft.sysmgr.liveness;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Notes how far the last start of each node has come, as it told this leader (P 5.10), and when
 * that is to be replicated. Every {@value #NOTE_SECONDS} s one command notes all nodes that have a
 * new checkpoint or changes. What is heard of a node that dies with the leader in between is lost;
 * else the leader's memory judges the next start. Pure and single-threaded.
 */
public final class HeardHistories {
  private static final int NOTE_SECONDS = 5;
  private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(NOTE_SECONDS);

  private final SortedMap<NodeKey, NodeHistory> heard = new TreeMap<>();
  private long notedNanos;

  /** This member leads from now on: what it heard before is old. */
  public void begin(long nowNanos) {
    heard.clear();
    notedNanos = nowNanos;
  }

  /** A heartbeat, or a join that was taken; one of another start takes the place of the last. */
  public void heard(NodeKey node, NodeHistory history) {
    if (history.isKnown()) {
      heard.merge(
          node,
          history,
          (before, now) -> before.startId() == now.startId() ? before.with(now) : now);
    }
  }

  /** What the node told last. */
  public NodeHistory of(NodeKey node) {
    return heard.getOrDefault(node, NodeHistory.NONE);
  }

  /** What is to be replicated now; empty: nothing. */
  public SortedMap<NodeKey, NodeHistory> toNote(Configuration configuration, long nowNanos) {
    SortedMap<NodeKey, NodeHistory> news = new TreeMap<>();
    if (nowNanos - notedNanos < NOTE_NANOS) {
      return news;
    }
    notedNanos = nowNanos;
    for (Map.Entry<NodeKey, NodeHistory> each : heard.entrySet()) {
      NodeHistory stored = configuration.histories().get(each.getKey());
      if (stored != null && !stored.with(each.getValue()).equals(stored)) {
        news.put(each.getKey(), each.getValue());
      }
    }
    return news;
  }
}
