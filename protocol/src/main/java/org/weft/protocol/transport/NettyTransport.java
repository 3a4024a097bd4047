package org.weft.protocol.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.protocol.frame.VersionRange;
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

/** Frames over TCP. One per process: its few event loops serve all connections and listeners. */
public final class NettyTransport implements Transport {
  private static final int BACKLOG = 1_024;
  private static final int PAGE_BYTES = 8_192;

  /** Chunks of 8 MiB: the largest payload comes out of the pool like any other. */
  private static final int MAX_ORDER = 10;

  /** Freed buffers of one size that an event loop keeps at hand: many heads, few payloads. */
  private static final int SMALL_CACHE = 256;

  private static final int NORMAL_CACHE = 16;

  private static final long SHUT_DOWN_SECONDS = 10;

  private final Wiring wiring;
  private final VersionRange versions;
  private final EventLoops loops;
  private final PooledByteBufAllocator allocator;
  private final HostResolver resolver;
  private final Set<Channel> clients = ConcurrentHashMap.newKeySet();
  private final Set<NettyListener> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  public NettyTransport(
      TransportOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      TransportMetrics metrics) {
    this(options, scheduler, ticker, random, metrics, VersionRange.SUPPORTED);
  }

  /** With other versions than this release speaks, for tests of the handshake. */
  NettyTransport(
      TransportOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      TransportMetrics metrics,
      VersionRange versions) {
    this.wiring =
        new Wiring(
            options,
            scheduler,
            ticker,
            random,
            metrics,
            new RequestMemory(options.requestMemoryBytes()));
    this.versions = versions;
    this.loops = EventLoops.start(options);
    this.allocator =
        new PooledByteBufAllocator(
            true,
            0,
            options.eventLoopThreads(),
            PAGE_BYTES,
            MAX_ORDER,
            SMALL_CACHE,
            NORMAL_CACHE,
            false);
    this.resolver = new HostResolver(scheduler);
  }

  PooledByteBufAllocator allocator() {
    return allocator;
  }

  RequestMemory requestMemory() {
    return wiring.requestMemory();
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    CompletableFuture<RpcConnection> connected = new CompletableFuture<>();
    if (closed) {
      connected.completeExceptionally(ended(remote));
      return connected;
    }
    EventExecutor loop = loops.group().next();
    Scheduler.Timer timer =
        wiring
            .scheduler()
            .schedule(
                TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis()),
                loop,
                () -> connected.completeExceptionally(tooLate(remote, options)));
    var unused =
        resolver
            .resolve(remote)
            .whenComplete(
                (address, failure) -> {
                  if (failure != null) {
                    connected.completeExceptionally(failure);
                  } else {
                    open(remote, address, options, connected);
                  }
                });
    var unusedEnd = connected.whenComplete((connection, failure) -> timer.cancel());
    return connected;
  }

  private void open(
      Endpoint remote,
      InetSocketAddress address,
      ConnectOptions options,
      CompletableFuture<RpcConnection> connected) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loops.group())
            .channel(loops.socket())
            .option(ChannelOption.ALLOCATOR, allocator)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, options.timeoutMillis())
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    Pipelines.fill(
                        channel,
                        wiring,
                        false,
                        (decoder, sender) ->
                            new ClientHandshake(
                                remote, options, versions, wiring, decoder, sender, connected));
                  }
                });
    try {
      ChannelFuture connecting = bootstrap.connect(address);
      Channel channel = connecting.channel();
      clients.add(channel);
      channel.closeFuture().addListener(done -> clients.remove(channel));
      connecting.addListener(
          done -> {
            if (!done.isSuccess()) {
              connected.completeExceptionally(unreachable(remote, done.cause()));
            } else if (closed) {
              ChannelEnd.now(channel);
            }
          });
      var unused =
          connected.whenComplete(
              (connection, failure) -> {
                if (failure != null) {
                  ChannelEnd.now(channel);
                }
              });
    } catch (RuntimeException e) {
      connected.completeExceptionally(unreachable(remote, e));
    }
  }

  private static RpcException unreachable(Endpoint remote, Throwable cause) {
    return new RpcException(ErrorCode.UNAVAILABLE, SocketFailure.connecting(remote, cause), cause);
  }

  private static RpcException tooLate(Endpoint remote, ConnectOptions options) {
    return new RpcException(
        ErrorCode.DEADLINE_EXCEEDED,
        remote + ": no connection and handshake within " + options.timeoutMillis() + " ms");
  }

  private static RpcException ended(Endpoint endpoint) {
    return new RpcException(
        ErrorCode.UNAVAILABLE, endpoint + ": this side's transport has been closed");
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    CompletableFuture<RpcListener> listening = new CompletableFuture<>();
    if (closed) {
      listening.completeExceptionally(ended(local));
      return listening;
    }
    var unused =
        resolver
            .resolve(local)
            .whenComplete(
                (address, failure) -> {
                  if (failure != null) {
                    listening.completeExceptionally(failure);
                  } else {
                    bind(
                        local,
                        address,
                        new NettyListener(options, versions, service, wiring),
                        listening);
                  }
                });
    return listening;
  }

  private void bind(
      Endpoint local,
      InetSocketAddress address,
      NettyListener listener,
      CompletableFuture<RpcListener> listening) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverSocket())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    Pipelines.fill(
                        channel,
                        wiring,
                        true,
                        (decoder, sender) -> new ServerHandshake(listener, decoder, sender));
                  }
                });
    try {
      ChannelFuture binding = bootstrap.bind(address);
      binding.addListener(
          done -> {
            if (done.isSuccess()) {
              bound(local, binding.channel(), listener);
              listening.complete(listener);
            } else {
              listening.completeExceptionally(cannotListen(local, done.cause()));
            }
          });
    } catch (RuntimeException e) {
      listening.completeExceptionally(cannotListen(local, e));
    }
  }

  private void bound(Endpoint local, Channel socket, NettyListener listener) {
    int port = ((InetSocketAddress) socket.localAddress()).getPort();
    listener.bound(socket, new Endpoint(local.host(), port));
    listeners.add(listener);
    socket.closeFuture().addListener(done -> listeners.remove(listener));
    if (closed) {
      var unused = listener.stop();
    }
  }

  private static RpcException cannotListen(Endpoint local, Throwable cause) {
    return new RpcException(ErrorCode.UNAVAILABLE, SocketFailure.listening(local, cause), cause);
  }

  /**
   * Stops the listeners, ends all connections and waits for the event loops. Not from an event
   * loop.
   */
  @Override
  public void close() {
    closed = true;
    for (NettyListener listener : listeners) {
      listener.close();
    }
    clients.forEach(ChannelEnd::now);
    resolver.close();
    var unused =
        loops
            .group()
            .shutdownGracefully(0, SHUT_DOWN_SECONDS, TimeUnit.SECONDS)
            .awaitUninterruptibly(SHUT_DOWN_SECONDS, TimeUnit.SECONDS);
  }
}
