package org.weft.protocol.seam;

import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;

/**
 * Connections that carry frames: Netty in a daemon, a simulated wire in the simulator. Thread-safe.
 */
public interface Transport extends AutoCloseable {
  /**
   * Opens a connection and shakes hands. Fails with an {@link org.weft.protocol.rpc.RpcException}:
   * UNAVAILABLE if nobody listens, WRONG_CLUSTER, VERSION_MISMATCH or DEADLINE_EXCEEDED.
   */
  CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options);

  /** Listens for connections; port 0 takes any free one. */
  CompletionStage<RpcListener> listen(Endpoint local, ListenOptions options, RpcService service);

  @Override
  void close();
}
