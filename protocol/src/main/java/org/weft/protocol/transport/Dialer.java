package org.weft.protocol.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.seam.Scheduler;

/**
 * Opens connections: over TCP, and from there, to a server of the same machine, over its {@link
 * LocalSocket}. Where that socket does not answer as the same server, the connection stays with
 * TCP. So does a connection for pushes, which may come as soon as the server has answered.
 * Thread-safe.
 */
final class Dialer {
  private static final Logger LOG = LoggerFactory.getLogger(Dialer.class);

  private static final int LOCAL_TIMEOUT_MILLIS = 1_000;

  /** More than the kernel's default of three units, as far as it allows. */
  static final int LOCAL_SEND_BUFFER_BYTES = 1 << 20;

  private final Wiring wiring;
  private final VersionRange versions;
  private final EventLoops loops;
  private final PooledByteBufAllocator allocator;
  private final HostResolver resolver;
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Dialer(
      Wiring wiring,
      VersionRange versions,
      EventLoops loops,
      PooledByteBufAllocator allocator,
      HostResolver resolver) {
    this.wiring = wiring;
    this.versions = versions;
    this.loops = loops;
    this.allocator = allocator;
    this.resolver = resolver;
  }

  /**
   * A connection that has shaken hands.
   *
   * @param local the server's socket on this machine, if there is one to go over to
   */
  record Greeting(ClientConnection connection, Optional<LocalSocket> local) {}

  /** A way to the server. */
  private record Way(
      Class<? extends Channel> socket,
      EventLoopGroup loops,
      SocketAddress address,
      boolean local) {}

  CompletableFuture<RpcConnection> connect(Endpoint remote, ConnectOptions options) {
    if (closed) {
      return CompletableFuture.failedFuture(ended(remote));
    }
    CompletableFuture<Greeting> greeted = new CompletableFuture<>();
    limit(greeted, remote, options.timeoutMillis());
    var unused =
        resolver
            .resolve(remote)
            .whenComplete(
                (address, failure) -> {
                  if (failure != null) {
                    greeted.completeExceptionally(failure);
                  } else {
                    dialOnLoop(
                        remote,
                        new Way(loops.socket(), loops.group(), address, false),
                        options,
                        greeted);
                  }
                });
    return greeted.thenCompose(greeting -> goOver(remote, options, greeting));
  }

  private void limit(CompletableFuture<Greeting> greeted, Endpoint remote, int timeoutMillis) {
    Scheduler.Timer timer =
        wiring
            .scheduler()
            .schedule(
                TimeUnit.MILLISECONDS.toNanos(timeoutMillis),
                loops.group().next(),
                () -> greeted.completeExceptionally(tooLate(remote, timeoutMillis)));
    var unused = greeted.whenComplete((greeting, failure) -> timer.cancel());
  }

  private CompletableFuture<RpcConnection> goOver(
      Endpoint remote, ConnectOptions options, Greeting overTcp) {
    CompletableFuture<RpcConnection> connected = new CompletableFuture<>();
    if (options.control() || overTcp.local().isEmpty() || loops.local().isEmpty()) {
      connected.complete(overTcp.connection());
      return connected;
    }
    LocalSocket socket = overTcp.local().get();
    CompletableFuture<Greeting> greeted = new CompletableFuture<>();
    limit(greeted, remote, Math.min(LOCAL_TIMEOUT_MILLIS, options.timeoutMillis()));
    EventLoops.Local kind = loops.local().get();
    Way way = new Way(kind.socket(), kind.loops(), socket.address(), true);
    dialOnLoop(remote, way, options, greeted);
    var unused =
        greeted.whenComplete(
            (greeting, failure) ->
                connected.complete(better(overTcp.connection(), greeting, failure)));
    return connected;
  }

  /** The local connection, if it leads to the same server; the other one is closed. */
  private static RpcConnection better(ClientConnection overTcp, Greeting local, Throwable failure) {
    if (failure != null) {
      LOG.debug("{}: stays with TCP: {}", overTcp.peer().address(), failure.getMessage());
      return overTcp;
    }
    if (!isSame(local.connection().peer(), overTcp.peer())) {
      LOG.warn(
          "{}: stays with TCP: behind its local socket is {}",
          overTcp.peer(),
          local.connection().peer());
      local.connection().close();
      return overTcp;
    }
    overTcp.close();
    return local.connection();
  }

  private static boolean isSame(PeerInfo one, PeerInfo other) {
    return one.name().equals(other.name())
        && one.incarnation() == other.incarnation()
        && one.clusterId().equals(other.clusterId());
  }

  /**
   * Netty keeps things for each thread that makes a channel, for as long as the thread lives. The
   * caller's thread may outlive the class loader of this library, and must not hold it.
   */
  private void dialOnLoop(
      Endpoint remote, Way way, ConnectOptions options, CompletableFuture<Greeting> greeted) {
    try {
      way.loops().next().execute(() -> dial(remote, way, options, greeted));
    } catch (RuntimeException | OutOfMemoryError e) {
      greeted.completeExceptionally(unreachable(remote, e));
    }
  }

  private void dial(
      Endpoint remote, Way way, ConnectOptions options, CompletableFuture<Greeting> greeted) {
    EventLoopGroup serving =
        options.home().map(home -> LoopHome.among(loops, way.loops(), home)).orElse(way.loops());
    Bootstrap bootstrap =
        new Bootstrap()
            .group(serving)
            .channel(way.socket())
            .option(ChannelOption.ALLOCATOR, allocator)
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
                                remote, options, versions, wiring, decoder, sender, greeted));
                  }

                  @Override
                  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    // There is no handshake yet that could tell: this process has no memory for it.
                    greeted.completeExceptionally(unreachable(remote, cause));
                    ChannelEnd.now(ctx.channel());
                  }
                });
    if (way.local()) {
      bootstrap.option(ChannelOption.SO_SNDBUF, LOCAL_SEND_BUFFER_BYTES);
    } else {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
    try {
      ChannelFuture connecting = bootstrap.connect(way.address());
      Channel channel = connecting.channel();
      channels.add(channel);
      channel.closeFuture().addListener(done -> channels.remove(channel));
      connecting.addListener(
          done -> {
            if (!done.isSuccess()) {
              greeted.completeExceptionally(unreachable(remote, done.cause()));
            } else if (closed) {
              ChannelEnd.now(channel);
            }
          });
      var unused =
          greeted.whenComplete(
              (greeting, failure) -> {
                if (failure != null) {
                  ChannelEnd.now(channel);
                }
              });
    } catch (RuntimeException | OutOfMemoryError e) {
      greeted.completeExceptionally(unreachable(remote, e));
    }
  }

  private static WeftException unreachable(Endpoint remote, Throwable cause) {
    return new WeftException(ErrorCode.UNAVAILABLE, SocketFailure.connecting(remote, cause), cause);
  }

  private static WeftException tooLate(Endpoint remote, int timeoutMillis) {
    return new WeftException(
        ErrorCode.DEADLINE_EXCEEDED,
        remote + ": no connection and handshake within " + timeoutMillis + " ms");
  }

  /** Why nothing can be asked of a transport that has been closed. */
  static WeftException ended(Endpoint endpoint) {
    return new WeftException(
        ErrorCode.UNAVAILABLE, endpoint + ": this side's transport has been closed");
  }

  /** Ends all connections; none is opened any more. */
  void close() {
    closed = true;
    channels.forEach(ChannelEnd::now);
  }
}
