package org.weft.protocol.seam;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Connections that carry frames: Netty in a daemon, a simulated wire in the simulator. Thread-safe.
 */
public interface Transport extends AutoCloseable {
  /**
   * Opens a connection and shakes hands. Fails with an {@link
   * org.weft.protocol.error.WeftException}: UNAVAILABLE if nothing listens, WRONG_CLUSTER,
   * VERSION_MISMATCH or DEADLINE_EXCEEDED.
   */
  CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options);

  /** Listens for connections; port 0 takes any free one. */
  CompletionStage<RpcListener> listen(Endpoint local, ListenOptions options, RpcService service);

  /**
   * An executor that runs its tasks one after another, in the order given, on a thread that serves
   * connections as well. It suits a state machine that does little but send requests and take
   * replies. Its tasks must be short and must not block. A connection that is opened for it ({@link
   * ConnectOptions#withHome}) is served there, too: then what it asks and hears changes no thread.
   * Empty if this transport has no threads to lend.
   */
  default Optional<OwnedExecutor> newHome() {
    return Optional.empty();
  }

  @Override
  void close();
}
