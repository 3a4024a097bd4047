package org.weft.protocol.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.seam.Transport;
import org.weft.protocol.transport.memory.ArrivalMemory;
import org.weft.protocol.transport.memory.PayloadMemory;
import org.weft.protocol.transport.memory.RequestMemory;

/**
 * Frames over TCP, and over local sockets between processes of one machine. One per process: its
 * few event loops serve all connections and listeners.
 */
public final class NettyTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(NettyTransport.class);

  private static final int BACKLOG = 1_024;
  private static final int PAGE_BYTES = 8_192;

  /** Chunks of 8 MiB: the largest payload comes out of the pool like any other. */
  private static final int MAX_ORDER = 10;

  /** Freed buffers of one size that an event loop keeps at hand: many heads, few payloads. */
  private static final int SMALL_CACHE = 256;

  private static final int NORMAL_CACHE = 16;

  /** Of the memory that payloads arrived in. */
  private static final long MAX_KEPT_BYTES = 32L << 20;

  private static final long SHUT_DOWN_SECONDS = 10;

  private final Wiring wiring;
  private final VersionRange versions;
  private final EventLoops loops;
  private final Dialer dialer;
  private final PooledByteBufAllocator allocator;
  private final HostResolver resolver;
  private final Set<NettyListener> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  public NettyTransport(
      TransportOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      TransportMetrics metrics,
      BootIdentity boot) {
    this(options, scheduler, ticker, random, metrics, boot, VersionRange.SUPPORTED);
  }

  /** With other versions than this release speaks, for tests of the handshake. */
  NettyTransport(
      TransportOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      TransportMetrics metrics,
      BootIdentity boot,
      VersionRange versions) {
    this.loops = EventLoops.start(options);
    boolean local = options.localSockets() && loops.local().isPresent();
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
    this.wiring =
        new Wiring(
            options,
            scheduler,
            ticker,
            random,
            metrics,
            new RequestMemory(options.requestMemoryBytes()),
            new ArrivalMemory(
                options.requestMemoryBytes(),
                TimeUnit.MILLISECONDS.toNanos(options.handshakeMillis())),
            new PayloadMemory(
                allocator, Math.min(MAX_KEPT_BYTES, options.requestMemoryBytes() / 2)),
            local ? Optional.of(boot.bootId()) : Optional.empty());
    this.versions = versions;
    this.resolver = new HostResolver(scheduler);
    this.dialer = new Dialer(wiring, versions, loops, allocator, resolver);
  }

  PooledByteBufAllocator allocator() {
    return allocator;
  }

  RequestMemory requestMemory() {
    return wiring.requestMemory();
  }

  ArrivalMemory arrivalMemory() {
    return wiring.arrivalMemory();
  }

  @Override
  public Optional<OwnedExecutor> newHome() {
    return Optional.of(new LoopHome(loops.group().next()));
  }

  @Override
  public CompletionStage<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    return dialer.connect(remote, options);
  }

  @Override
  public CompletionStage<RpcListener> listen(
      Endpoint local, ListenOptions options, RpcService service) {
    CompletableFuture<RpcListener> listening = new CompletableFuture<>();
    if (closed) {
      listening.completeExceptionally(Dialer.ended(local));
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
        serverBootstrap(loops.serverSocket(), loops.group(), listener)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true);
    try {
      ChannelFuture binding = bootstrap.bind(address);
      binding.addListener(
          done -> {
            if (done.isSuccess()) {
              bound(local, binding.channel(), listener);
              bindLocal(listener, () -> listening.complete(listener));
            } else {
              listening.completeExceptionally(cannotListen(local, done.cause()));
            }
          });
    } catch (RuntimeException e) {
      listening.completeExceptionally(cannotListen(local, e));
    }
  }

  private ServerBootstrap serverBootstrap(
      Class<? extends ServerChannel> kind, EventLoopGroup children, NettyListener listener) {
    return new ServerBootstrap()
        .group(loops.group(), children)
        .channel(kind)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .childOption(ChannelOption.ALLOCATOR, allocator)
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
  }

  /** Listens on a socket of the machine, too; without one all goes over TCP. */
  private void bindLocal(NettyListener listener, Runnable then) {
    if (wiring.machine().isEmpty() || loops.local().isEmpty()) {
      then.run();
      return;
    }
    LocalSocket local = LocalSocket.fresh(wiring.machine().get(), wiring.random());
    ChannelFuture binding =
        serverBootstrap(loops.local().get().serverSocket(), loops.local().get().loops(), listener)
            .childOption(ChannelOption.SO_SNDBUF, Dialer.LOCAL_SEND_BUFFER_BYTES)
            .bind(local.address());
    binding.addListener(
        done -> {
          if (done.isSuccess()) {
            listener.bound(binding.channel(), local);
          } else {
            LOG.warn(
                "{} listens on {} alone, there is no local socket: {}",
                listener.name(),
                listener.address(),
                String.valueOf(done.cause().getMessage()));
          }
          then.run();
        });
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

  private static WeftException cannotListen(Endpoint local, Throwable cause) {
    return new WeftException(ErrorCode.UNAVAILABLE, SocketFailure.listening(local, cause), cause);
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
    dialer.close();
    resolver.close();
    var unused =
        loops
            .group()
            .shutdownGracefully(0, SHUT_DOWN_SECONDS, TimeUnit.SECONDS)
            .awaitUninterruptibly(SHUT_DOWN_SECONDS, TimeUnit.SECONDS);
    wiring.payloadMemory().close();
  }
}
