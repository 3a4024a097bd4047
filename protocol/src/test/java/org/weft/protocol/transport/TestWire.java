package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A server's transport and a client's on the loopback. Closing it checks that every pooled buffer
 * of both has been given back and that Netty found no leak.
 */
final class TestWire implements AutoCloseable {
  static final long DEADLINE_SECONDS = 20;
  private static final long POLL_NANOS = 100_000;

  private final SystemEnvironment world = SystemEnvironment.create();
  final NettyTransport server;
  final NettyTransport client;
  final ManualTime time;

  TestWire() {
    this(TransportOptions.defaults());
  }

  TestWire(TransportOptions options) {
    this(options, options, VersionRange.SUPPORTED, VersionRange.SUPPORTED);
  }

  TestWire(
      TransportOptions serverOptions,
      TransportOptions clientOptions,
      VersionRange serverVersions,
      VersionRange clientVersions) {
    LeakWatch.on();
    time = null;
    server = transport(serverOptions, serverVersions);
    client = transport(clientOptions, clientVersions);
  }

  /** Both sides live by the time that the test makes, and tell the metrics what they do. */
  TestWire(TransportOptions options, TransportMetrics metrics) {
    LeakWatch.on();
    time = new ManualTime(environment().scheduler());
    server = timed(options, metrics);
    client = timed(options, metrics);
  }

  private NettyTransport timed(TransportOptions options, TransportMetrics metrics) {
    Environment world = environment();
    return new NettyTransport(options, time, time, world.random(), metrics, world.bootIdentity());
  }

  private NettyTransport transport(TransportOptions options, VersionRange versions) {
    Environment world = environment();
    return new NettyTransport(
        options,
        world.scheduler(),
        world.ticker(),
        world.random(),
        TransportMetrics.NONE,
        world.bootIdentity(),
        versions);
  }

  /** Options that differ from the defaults in what tests turn. */
  static TransportOptions options(
      boolean nativeSockets, long windowBytes, int handshakeMillis, int keepAliveMillis) {
    return new TransportOptions(
        1,
        nativeSockets,
        false,
        windowBytes,
        1 << 16,
        256 << 20,
        handshakeMillis,
        keepAliveMillis,
        64,
        200);
  }

  Environment environment() {
    return world.environment();
  }

  RpcListener listen(RpcService service) throws Exception {
    return listen(ListenOptions.of(Optional::empty, "osd-1", 7), service);
  }

  RpcListener listen(ListenOptions options, RpcService service) throws Exception {
    return get(server.listen(new Endpoint("127.0.0.1", 0), options, service));
  }

  RpcConnection connect(RpcListener listener) throws Exception {
    return connect(listener.address());
  }

  RpcConnection connect(Endpoint address) throws Exception {
    return get(client.connect(address, ConnectOptions.to(Optional.empty(), "client")));
  }

  static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** The failure that the stage ends with; anything else fails the test. */
  static WeftException failure(CompletionStage<?> stage) {
    ExecutionException failed = assertThrows(ExecutionException.class, () -> get(stage));
    if (failed.getCause() instanceof WeftException rpc) {
      return rpc;
    }
    throw new AssertionError("expected a WeftException", failed.getCause());
  }

  static WeftException failure(ErrorCode code, CompletionStage<?> stage) {
    WeftException failure = failure(stage);
    assertEquals(code, failure.code(), failure::toString);
    return failure;
  }

  static void await(String what, BooleanSupplier condition) {
    await(() -> what, condition);
  }

  static void await(Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "still waiting for: " + what.get());
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  static long activeBuffers(NettyTransport transport) {
    PooledByteBufAllocator allocator = transport.allocator();
    return allocator.metric().directArenas().stream()
            .mapToLong(PoolArenaMetric::numActiveAllocations)
            .sum()
        + allocator.metric().heapArenas().stream()
            .mapToLong(PoolArenaMetric::numActiveAllocations)
            .sum();
  }

  @Override
  public void close() {
    client.close();
    server.close();
    world.close();
    assertEquals(0, activeBuffers(client), "buffers of the client that were not given back");
    assertEquals(0, activeBuffers(server), "buffers of the server that were not given back");
    assertEquals(0, server.requestMemory().usedBytes(), "requests that the server still counts");
    assertEquals(List.of(), LeakWatch.found());
  }
}
