package org.weft.protocol.seam;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;

/** Opens a connection, sends one request on it, and closes it with the reply. */
public final class OneCall {
  private OneCall() {}

  /**
   * Connects, asks and closes. Fails with a {@link WeftException}.
   *
   * @param name of the caller, for the other side's log
   * @param millis for connecting
   */
  public static CompletableFuture<RpcReply> ask(
      Transport transport, Endpoint peer, String name, int millis, RpcRequest request) {
    ConnectOptions options =
        new ConnectOptions(Optional.empty(), name, millis, false, (opcode, news) -> {});
    return transport
        .connect(peer, options)
        .toCompletableFuture()
        .thenCompose(
            connection ->
                connection.call(request).whenComplete((reply, failure) -> connection.close()));
  }

  /**
   * The same, and blocks until there is an answer.
   *
   * @throws WeftException UNAVAILABLE if there is none in four times that time
   */
  public static RpcReply await(
      Transport transport, Endpoint peer, String name, int millis, RpcRequest request)
      throws IOException {
    try {
      return ask(transport, peer, name, millis, request).get(4L * millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw WeftException.of(e);
    } catch (TimeoutException e) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "no reply", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking " + peer, e);
    }
  }
}
