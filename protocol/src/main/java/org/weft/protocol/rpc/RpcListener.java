package org.weft.protocol.rpc;

import java.util.concurrent.CompletionStage;

/** A server that takes connections. */
public interface RpcListener extends AutoCloseable {
  /** The address it listens on, with the real port. */
  Endpoint address();

  /** Takes no new connections, waits a moment for replies under way, then ends all connections. */
  CompletionStage<Void> stop();

  /** {@link #stop}, and waits for it. */
  @Override
  void close();
}
