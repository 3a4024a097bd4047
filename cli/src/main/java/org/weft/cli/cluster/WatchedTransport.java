package org.weft.cli.cluster;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Transport;

/**
 * A transport whose questions are noted. Its close does nothing, since the inner transport belongs
 * to its owner.
 */
final class WatchedTransport implements Transport {
  private final Transport transport;
  private final ServerWaits waits;

  WatchedTransport(Transport transport, ServerWaits waits) {
    this.transport = transport;
    this.waits = waits;
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    waits.begun(remote);
    return transport
        .connect(remote, options)
        .whenComplete((connection, failure) -> waits.ended(remote, failure))
        .thenApply(connection -> new Watched(remote, connection));
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    return transport.listen(local, options, service);
  }

  @Override
  public Optional<OwnedExecutor> newHome() {
    return transport.newHome();
  }

  @Override
  public void close() {}

  private final class Watched implements RpcConnection {
    private final Endpoint remote;
    private final RpcConnection connection;

    private Watched(Endpoint remote, RpcConnection connection) {
      this.remote = remote;
      this.connection = connection;
      waits.named(remote, connection.peer().name());
    }

    @Override
    public PeerInfo peer() {
      return connection.peer();
    }

    @Override
    public CompletableFuture<RpcReply> call(RpcRequest request) {
      waits.begun(remote);
      CompletableFuture<RpcReply> reply = connection.call(request);
      var unused = reply.whenComplete((answer, failure) -> waits.ended(remote, failure));
      // The same future: its cancellation reaches the other side.
      return reply;
    }

    @Override
    public boolean isOpen() {
      return connection.isOpen();
    }

    @Override
    public int callsUnderWay() {
      return connection.callsUnderWay();
    }

    @Override
    public long heardNanos() {
      return connection.heardNanos();
    }

    @Override
    public CompletableFuture<Void> closed() {
      return connection.closed();
    }

    @Override
    public void close() {
      connection.close();
    }
  }
}
