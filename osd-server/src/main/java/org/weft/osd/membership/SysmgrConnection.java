package org.weft.osd.membership;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Transport;

/** The one connection to SysMgr: to the member asked last. Not thread-safe; never blocks. */
final class SysmgrConnection implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;

  private final Transport transport;
  private Endpoint remote;
  private CompletableFuture<RpcConnection> connection;

  SysmgrConnection(Transport transport) {
    this.transport = transport;
  }

  /**
   * Sends over the connection that is open, or over a new one; completes on an event loop. A
   * connection on which a call goes unanswered is given up. It may lead nowhere, and the transport
   * finds that out long after a heartbeat is missed.
   */
  CompletableFuture<RpcReply> call(
      Endpoint to, Optional<ClusterId> cluster, String caller, RpcRequest request) {
    if (!usable(to)) {
      close();
      remote = to;
      connection =
          transport
              .connect(
                  to,
                  new ConnectOptions(
                      cluster, caller, CONNECT_TIMEOUT_MILLIS, false, (opcode, body) -> {}))
              .toCompletableFuture();
    }
    return connection.thenCompose(
        open -> open.call(request).whenComplete((reply, failure) -> leaveIfSilent(open, failure)));
  }

  private static void leaveIfSilent(RpcConnection open, Throwable failure) {
    if (failure != null && WeftException.of(failure).code() == ErrorCode.DEADLINE_EXCEEDED) {
      open.close();
    }
  }

  private boolean usable(Endpoint to) {
    if (connection == null || !to.equals(remote) || connection.isCompletedExceptionally()) {
      return false;
    }
    RpcConnection open = connection.getNow(null);
    return open == null || open.isOpen();
  }

  @Override
  public void close() {
    if (connection != null) {
      var unused =
          connection.whenComplete(
              (open, failure) -> {
                if (open != null) {
                  open.close();
                }
              });
      connection = null;
    }
  }
}
