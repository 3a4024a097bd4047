package org.weft.protocol.transport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.seam.Transport;

/** TCP by Netty. */
public final class NettyTransport implements Transport {
  public NettyTransport(
      TransportOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      TransportMetrics metrics) {}

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    return CompletableFuture.failedFuture(
        new RpcException(ErrorCode.UNSUPPORTED, remote + ": the wire is not connected yet"));
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    return CompletableFuture.failedFuture(
        new RpcException(ErrorCode.UNSUPPORTED, local + ": the wire is not connected yet"));
  }

  @Override
  public void close() {}
}
