package org.weft.testkit.sim;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Transport;

/**
 * Carries requests between parts of one process, on virtual time. Bodies cross as bytes. A
 * request's payload is copied when it arrives, so that the other side sees a buffer that is used
 * again too early. A reply's payload is read a moment after the reply, as {@code sendfile} would.
 * Addresses differ by their port alone.
 *
 * <p>A connection has two ends, which need not agree. What an end sent before it broke may still
 * arrive at the other, which hears of the break later. {@link WireFaults} say what happens to
 * frames, {@link #at} gives each process of a simulated world a transport of its own. Not
 * thread-safe.
 */
public final class VirtualWire implements Transport {
  private static final int FIRST_PORT = 20_000;
  private static final long MIN_LATENCY_NANOS = 20_000;
  private static final long MAX_LATENCY_NANOS = 200_000;

  /** An end that hears nothing for about that long takes the other end for dead. */
  private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final VirtualTime time;
  private final RandomGenerator random;
  private final WireHost outside;
  private final TreeMap<Integer, Listener> listeners = new TreeMap<>();
  private final Set<VirtualConnection> connections = new LinkedHashSet<>();
  private final Set<Lane> held = new LinkedHashSet<>();
  private WireFaults faults = WireFaults.NONE;
  private WireObserver observer = WireObserver.NONE;
  private int nextPort = FIRST_PORT;
  private final IdentityHashMap<WireHost, Integer> payloadsOut = new IdentityHashMap<>();
  private int connects;
  private boolean congested;

  public VirtualWire(VirtualTime time, long seed) {
    this.time = time;
    this.random = new SplittableRandom(seed);
    this.outside =
        new WireHost("", Runnable::run, (lane, arrival) -> arrival.run(), time, () -> true);
  }

  VirtualTime time() {
    return time;
  }

  /** What happens to frames from now on. */
  public void faults(WireFaults plan) {
    faults = plan;
  }

  /** Sets what sees all that happens. */
  public void observer(WireObserver watching) {
    observer = watching;
  }

  /** The plan as it is. */
  public WireFaults faults() {
    return faults;
  }

  void saw(
      WireObserver.Event event,
      WireHost from,
      WireHost to,
      int opcode,
      long requestId,
      ByteString body,
      int payloadBytes) {
    observer.happened(event, from.machine(), to.machine(), opcode, requestId, body, payloadBytes);
  }

  void left(WireHost from, int opcode, ByteString replyBody, ByteBuffer payload) {
    observer.left(from.machine(), opcode, replyBody, payload);
  }

  /** How long a payload lies at its sender until it is read and sent: a slow link takes it late. */
  long drainNanos(WireHost from, WireHost to) {
    return time.waitForThreadNanos() + faults.extraNanos(from.machine(), to.machine());
  }

  /**
   * Payloads of replies that were not released yet, without those of processes that are gone; 0
   * once all is quiet.
   */
  public int unreleasedPayloads() {
    return payloadsOut.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How many connections were asked for. */
  public int connects() {
    return connects;
  }

  /** True: requests stay with their senders, payloads and all, until it is false again. */
  public void congested(boolean isCongested) {
    congested = isCongested;
    flow();
  }

  /** The plan of faults has cut or healed links. */
  public void linksChanged() {
    flow();
    for (VirtualConnection each : List.copyOf(connections)) {
      if (each.isCut()) {
        time.after(patienceNanos(), () -> each.endIf(each.isCut()));
      }
    }
  }

  /** All connections between the machines end, and both ends hear of it. */
  public void breakConnections(String one, String other) {
    for (VirtualConnection each : List.copyOf(connections)) {
      each.endIf(each.isBetween(one, other));
    }
  }

  /**
   * All connections between the machines that are open now carry nothing any more, as after a cut
   * that TCP waits out. Connections that are opened later do carry frames. Their ends find out by
   * themselves.
   */
  public void silenceConnections(String one, String other) {
    for (VirtualConnection each : List.copyOf(connections)) {
      if (each.isBetween(one, other)) {
        each.fallsSilent(patienceNanos());
      }
    }
  }

  private void flow() {
    List<Lane> moving = List.copyOf(held);
    held.clear();
    moving.forEach(Lane::flow);
  }

  boolean isCut(Lane lane) {
    return (congested && lane.isOfRequests()) || isCut(lane.from(), lane.to());
  }

  boolean isCut(WireHost from, WireHost to) {
    return faults.isCut(from.machine(), to.machine());
  }

  void holdsFrames(Lane lane) {
    held.add(lane);
  }

  /** The process was stopped: ends that wait for it take it for dead after a while. */
  public void paused(WireHost host, BooleanSupplier still) {
    for (VirtualConnection each : List.copyOf(connections)) {
      if (each.isOf(host)) {
        time.after(patienceNanos(), () -> each.endOtherIf(host, still.getAsBoolean()));
      }
    }
  }

  /** The process was killed: its kernel ends what it had open. */
  public void killed(WireHost host) {
    isGone(host);
    for (VirtualConnection each : List.copyOf(connections)) {
      each.dies(host, 0);
    }
  }

  /** The process is gone without a word: others find out by themselves. */
  public void vanished(WireHost host) {
    isGone(host);
    for (VirtualConnection each : List.copyOf(connections)) {
      each.dies(host, random.nextLong(KEEP_ALIVE_NANOS));
    }
  }

  private void isGone(WireHost host) {
    var unused = listeners.values().removeIf(listener -> listener.host == host);
    payloadsOut.remove(host);
  }

  void forget(VirtualConnection connection) {
    connections.remove(connection);
  }

  void payloadSent(WireHost to) {
    if (to.alive().getAsBoolean()) {
      payloadsOut.merge(to, 1, Integer::sum);
    }
  }

  void payloadReleased(WireHost by) {
    payloadsOut.computeIfPresent(by, (host, count) -> count == 1 ? null : count - 1);
  }

  long latencyNanos(WireHost from, WireHost to) {
    return random.nextLong(MIN_LATENCY_NANOS, MAX_LATENCY_NANOS)
        + faults.extraNanos(from.machine(), to.machine());
  }

  private long patienceNanos() {
    return KEEP_ALIVE_NANOS + random.nextLong(KEEP_ALIVE_NANOS / 3);
  }

  /** The transport of one process. */
  public Transport at(WireHost host) {
    return new HostTransport(host);
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    return listen(outside, local, options, service);
  }

  private CompletionStage<RpcListener> listen(
      WireHost host, Endpoint local, ListenOptions options, RpcService service) {
    int port = local.port() == 0 ? nextPort++ : local.port();
    if (listeners.containsKey(port)) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.UNAVAILABLE, "port " + port + " is taken"));
    }
    Listener listener = new Listener(host, new Endpoint(local.host(), port), options, service);
    listeners.put(port, listener);
    return CompletableFuture.completedFuture(listener);
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    return connect(outside, remote, options);
  }

  private CompletionStage<RpcConnection> connect(
      WireHost host, Endpoint remote, ConnectOptions options) {
    connects++;
    CompletableFuture<RpcConnection> connected = new CompletableFuture<>();
    Listener listener = listeners.get(remote.port());
    WireHost there = listener == null ? outside : listener.host;
    long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
    var timer =
        time.after(
            timeoutNanos,
            () ->
                host.gate()
                    .execute(
                        () ->
                            connected.completeExceptionally(
                                new WeftException(
                                    ErrorCode.DEADLINE_EXCEEDED,
                                    "no process answered at " + remote + " in time"))));
    var unused = connected.whenComplete((connection, failure) -> timer.cancel());
    time.after(
        latencyNanos(host, there),
        () -> {
          if (!isCut(host, there) && !isCut(there, host)) {
            there.gate().execute(() -> shakeHands(host, remote, options, connected));
          }
        });
    return connected;
  }

  private void shakeHands(
      WireHost host,
      Endpoint remote,
      ConnectOptions options,
      CompletableFuture<RpcConnection> connected) {
    Listener listener = listeners.get(remote.port());
    if (listener == null) {
      refuse(host, connected, ErrorCode.UNAVAILABLE, "nothing listens at " + remote);
      return;
    }
    Optional<ClusterId> there = listener.options.clusterId().get();
    if (options.clusterId().isPresent()
        && there.isPresent()
        && !options.clusterId().equals(there)) {
      refuse(
          host,
          connected,
          ErrorCode.WRONG_CLUSTER,
          "expected cluster " + options.clusterId().get() + ", found " + there.get());
      return;
    }
    VirtualConnection connection =
        new VirtualConnection(
            this,
            host,
            listener.host,
            options,
            PeerOf.listener(listener.address, listener.options),
            listener.service);
    connections.add(connection);
    listener.connections.add(connection);
    listener.service.connected(connection.serverSide());
    saw(WireObserver.Event.CONNECTED, host, listener.host, 0, 0, ByteString.EMPTY, 0);
    connection.answerHandshake(connected);
    if (!host.alive().getAsBoolean()) {
      connection.dies(host, 0);
    }
  }

  private void refuse(
      WireHost host, CompletableFuture<RpcConnection> connected, ErrorCode code, String why) {
    host.gate().execute(() -> connected.completeExceptionally(new WeftException(code, why)));
  }

  @Override
  public void close() {
    List.copyOf(listeners.values()).forEach(Listener::close);
  }

  /** The wire as one process has it. */
  private final class HostTransport implements Transport {
    private final WireHost host;

    HostTransport(WireHost host) {
      this.host = host;
    }

    @Override
    public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
      return VirtualWire.this.connect(host, remote, options);
    }

    @Override
    public CompletionStage<RpcListener> listen(
        Endpoint local, ListenOptions options, RpcService service) {
      return VirtualWire.this.listen(host, local, options, service);
    }

    @Override
    public void close() {
      killed(host);
    }
  }

  private final class Listener implements RpcListener {
    private final WireHost host;
    private final Endpoint address;
    private final ListenOptions options;
    private final RpcService service;
    private final List<VirtualConnection> connections = new ArrayList<>();

    Listener(WireHost host, Endpoint address, ListenOptions options, RpcService service) {
      this.host = host;
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
      var unused = listeners.remove(address.port(), this);
      connections.forEach(VirtualConnection::endServer);
      connections.clear();
    }
  }
}
