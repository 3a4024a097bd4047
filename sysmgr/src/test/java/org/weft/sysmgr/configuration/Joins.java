package org.weft.sysmgr.configuration;

import java.util.List;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;

/** Nodes that join and say nothing of their past, as those of older releases do. */
public final class Joins {
  private Joins() {}

  /** A node whose store takes changes. */
  public static Command.Join of(
      NodeKey.Kind kind,
      String identity,
      String clusterId,
      int nodeId,
      List<Endpoint> addresses,
      String host,
      long incarnation,
      long capacityBytes,
      boolean unclean,
      long nowMillis) {
    return new Command.Join(
        kind,
        identity,
        clusterId,
        nodeId,
        addresses,
        host,
        incarnation,
        capacityBytes,
        unclean,
        nowMillis,
        "",
        StartProof.NONE,
        NodeHistory.NONE);
  }
}
