package org.weft.protocol.rpc;

/**
 * Answers the requests that a listener takes. Called on event loops: must hand anything that blocks
 * to an executor.
 */
public interface RpcService {
  /** Must answer the request once, now or later. A throw here is answered INTERNAL and logged. */
  void handle(InboundRequest request);

  default void connected(RpcPeer peer) {}

  default void disconnected(RpcPeer peer) {}
}
