package org.weft.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
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

/**
 * Carries requests between parts of one process, on virtual time. Bodies cross as bytes; a
 * request's payload is copied when it arrives, so that a buffer used again too early is seen on the
 * other side. Addresses differ by their port alone. Not thread-safe.
 */
public final class VirtualWire implements Transport {
  private static final int FIRST_PORT = 20_000;
  private static final long LEAST_LATENCY_NANOS = 20_000;
  private static final long MOST_LATENCY_NANOS = 200_000;

  private final VirtualTime time;
  private final RandomGenerator random;
  private final TreeMap<Integer, Listener> listeners = new TreeMap<>();
  private int nextPort = FIRST_PORT;
  private int payloadsOut;
  private int connects;
  private boolean congested;
  private final List<Runnable> stuck = new ArrayList<>();

  public VirtualWire(VirtualTime time, long seed) {
    this.time = time;
    this.random = new SplittableRandom(seed);
  }

  VirtualTime time() {
    return time;
  }

  /** Payloads of replies that nobody has released yet; 0 once all is quiet. */
  public int unreleasedPayloads() {
    return payloadsOut;
  }

  /** How many connections were asked for. */
  public int connects() {
    return connects;
  }

  /** True: requests stay with their senders, payloads and all, until it is false again. */
  public void congested(boolean isCongested) {
    congested = isCongested;
    if (!congested) {
      List<Runnable> moving = List.copyOf(stuck);
      stuck.clear();
      moving.forEach(Runnable::run);
    }
  }

  void deliver(Runnable frame) {
    if (congested) {
      stuck.add(frame);
    } else {
      frame.run();
    }
  }

  void payloadSent() {
    payloadsOut++;
  }

  void payloadReleased() {
    payloadsOut--;
  }

  long latencyNanos() {
    return random.nextLong(LEAST_LATENCY_NANOS, MOST_LATENCY_NANOS);
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    int port = local.port() == 0 ? nextPort++ : local.port();
    if (listeners.containsKey(port)) {
      return CompletableFuture.failedFuture(
          new RpcException(ErrorCode.UNAVAILABLE, "port " + port + " is taken"));
    }
    Listener listener = new Listener(new Endpoint(local.host(), port), options, service);
    listeners.put(port, listener);
    return CompletableFuture.completedFuture(listener);
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    connects++;
    CompletableFuture<RpcConnection> connected = new CompletableFuture<>();
    time.after(latencyNanos(), () -> shakeHands(remote, options, connected));
    return connected;
  }

  private void shakeHands(
      Endpoint remote, ConnectOptions options, CompletableFuture<RpcConnection> connected) {
    Listener listener = listeners.get(remote.port());
    if (listener == null) {
      connected.completeExceptionally(
          new RpcException(ErrorCode.UNAVAILABLE, "nobody listens at " + remote));
      return;
    }
    Optional<ClusterId> there = listener.options.clusterId().get();
    if (options.clusterId().isPresent()
        && there.isPresent()
        && !options.clusterId().equals(there)) {
      connected.completeExceptionally(
          new RpcException(
              ErrorCode.WRONG_CLUSTER,
              "expected cluster " + options.clusterId().get() + ", found " + there.get()));
      return;
    }
    VirtualConnection connection =
        new VirtualConnection(this, listener.address, options, listener.options, listener.service);
    listener.connections.add(connection);
    listener.service.connected(connection.serverSide());
    connected.complete(connection);
  }

  @Override
  public void close() {
    List.copyOf(listeners.values()).forEach(Listener::close);
  }

  private final class Listener implements RpcListener {
    private final Endpoint address;
    private final ListenOptions options;
    private final RpcService service;
    private final List<VirtualConnection> connections = new ArrayList<>();

    Listener(Endpoint address, ListenOptions options, RpcService service) {
      this.address = address;
      this.options = options;
      this.service = service;
    }

    @Override
    public Endpoint address() {
      return address;
    }

    @Override
    public CompletionStage<Void> stop() {
      close();
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
      var unused = listeners.remove(address.port());
      connections.forEach(VirtualConnection::close);
    }
  }
}
