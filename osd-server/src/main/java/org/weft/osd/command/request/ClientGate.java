package org.weft.osd.command.request;

import org.weft.protocol.rpc.RpcException;

/** Whether clients may be served at this moment. Thread-safe, and cheap: asked for each command. */
@FunctionalInterface
public interface ClientGate {
  /** Lets all clients in. */
  ClientGate OPEN = () -> {};

  /**
   * Returns if clients may be served.
   *
   * @throws RpcException UNAVAILABLE
   */
  void requireOpen() throws RpcException;
}
