package org.weft.client.fake;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Transport;

/** Connects to {@link FakePeer}s by address, on virtual time. */
public final class FakeWire implements Transport {
  static final int LATENCY_MILLIS = 1;

  private final VirtualTime time;
  private final Map<String, FakePeer> peers = new TreeMap<>();
  private int connects;

  public FakeWire(VirtualTime time) {
    this.time = time;
  }

  /** A peer answers at that address from now on. */
  public void put(Endpoint address, FakePeer peer) {
    peers.put(address.toString(), peer);
  }

  /** How many connections were asked for. */
  public int connects() {
    return connects;
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    connects++;
    CompletableFuture<RpcConnection> connected = new CompletableFuture<>();
    time.after(LATENCY_MILLIS, () -> shake(remote, options, connected));
    return connected;
  }

  private void shake(
      Endpoint remote, ConnectOptions options, CompletableFuture<RpcConnection> connected) {
    FakePeer peer = peers.get(remote.toString());
    if (peer == null || !peer.isUp()) {
      connected.completeExceptionally(
          new RpcException(ErrorCode.UNAVAILABLE, "nobody listens at " + remote));
      return;
    }
    Optional<ClusterId> wanted = options.clusterId();
    if (wanted.isPresent() && !wanted.get().equals(peer.clusterId())) {
      connected.completeExceptionally(
          new RpcException(
              ErrorCode.WRONG_CLUSTER,
              "expected " + wanted.get() + ", this is " + peer.clusterId()));
      return;
    }
    connected.complete(peer.accept(time, remote));
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    throw new UnsupportedOperationException("peers are put, they do not listen");
  }

  @Override
  public void close() {}
}
