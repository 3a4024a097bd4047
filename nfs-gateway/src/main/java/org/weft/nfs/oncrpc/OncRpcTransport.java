package org.weft.nfs.oncrpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * ONC RPC over TCP, and of small programs over UDP. Its event loops and memory serve only its own
 * listeners and clients. Thread-safe.
 */
public final class OncRpcTransport implements AutoCloseable {
  private static final int BACKLOG = 1_024;
  private static final int PAGE_BYTES = 8_192;

  /** Chunks of 4 MiB: a transfer of 1 MiB comes out of the pool like any other. */
  private static final int MAX_ORDER = 9;

  private static final int SMALL_CACHE = 256;
  private static final int NORMAL_CACHE = 16;
  private static final long CLOSE_SECONDS = 10;

  private final OncRpcOptions options;
  private final ServerWiring wiring;
  private final RandomGenerator random;
  private final boolean epoll;
  private final EventLoopGroup group;
  private final PooledByteBufAllocator allocator;

  /** Without an observer of calls. */
  public OncRpcTransport(
      OncRpcOptions options, Scheduler scheduler, Ticker ticker, RandomGenerator random) {
    this(options, scheduler, ticker, random, CallObserver.NONE);
  }

  /**
   * @param random where the numbers of a client's calls begin; thread-safe
   * @param observer receives the calls that were answered
   */
  public OncRpcTransport(
      OncRpcOptions options,
      Scheduler scheduler,
      Ticker ticker,
      RandomGenerator random,
      CallObserver observer) {
    this.options = options;
    RpcCounters counters = new RpcCounters();
    this.wiring =
        new ServerWiring(
            options,
            new RpcMemory(options.memoryBytes()),
            new DuplicateCache(options.keptReplies(), counters),
            counters,
            observer,
            scheduler,
            ticker,
            new SocketGuard(ticker, scheduler));
    this.random = random;
    this.epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    this.group =
        new MultiThreadIoEventLoopGroup(
            options.eventLoopThreads(), new DefaultThreadFactory("weft-nfs", true), io);
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
    wiring.guard().start();
  }

  /**
   * Calls that wait in sockets are refused when this grows: this process may have been frozen.
   *
   * @param lostSessions how often a manager ended a session of this process
   */
  public void suspectAfter(LongSupplier lostSessions) {
    wiring.guard().suspectAfter(lostSessions);
  }

  public RpcCounters counters() {
    return wiring.counters();
  }

  /** Bytes of calls and replies that are held, outside the heap; 0 when nothing is under way. */
  public long usedBytes() {
    return wiring.memory().usedBytes();
  }

  /** Replies that are kept for repeats. */
  public int keptReplies() {
    return wiring.duplicates().size();
  }

  /**
   * Serves programs at an address.
   *
   * @param local resolved; port 0 takes a free one
   * @return fails with {@link RpcFailedException} if the address cannot be listened on; completes
   *     on an event loop
   */
  public CompletionStage<OncRpcListener> listen(
      InetSocketAddress local, List<RpcProgram> programs) {
    OncRpcListener listener = new OncRpcListener(wiring, new Programs(programs));
    ChannelFuture binding =
        new ServerBootstrap()
            .group(group)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childHandler(listener.newConnections())
            .bind(local);
    return bound(
        binding,
        listener,
        listener::bound,
        "cannot listen on %s: %s; choose another address or port, or stop what uses it",
        local);
  }

  /**
   * Connects to a server.
   *
   * @param localPort the port to call from, where the server asks for a reserved one
   * @param timeoutMillis for connecting, and for each call
   * @param executor where the results of calls are delivered
   * @return fails with {@link RpcFailedException} if the server cannot be reached
   */
  public CompletionStage<OncRpcClient> connect(
      InetSocketAddress remote, OptionalInt localPort, int timeoutMillis, Executor executor) {
    return connect(
        localPort.stream().mapToObj(InetSocketAddress::new).findFirst(),
        remote,
        timeoutMillis,
        executor);
  }

  /** The same from a local address; its port may be 0, for any. */
  public CompletionStage<OncRpcClient> connectFrom(
      InetSocketAddress local, InetSocketAddress remote, int timeoutMillis, Executor executor) {
    return connect(Optional.of(local), remote, timeoutMillis, executor);
  }

  private CompletionStage<OncRpcClient> connect(
      Optional<InetSocketAddress> local,
      InetSocketAddress remote,
      int timeoutMillis,
      Executor executor) {
    OncRpcClient client =
        new OncRpcClient(
            remote, options.mostRecordBytes(), timeoutMillis, wiring, random.nextInt(), executor);
    CompletableFuture<OncRpcClient> connected = new CompletableFuture<>();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, allocator)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    client.fill(channel);
                  }
                });
    if (local.isPresent()) {
      var unused = bootstrap.option(ChannelOption.SO_REUSEADDR, true).localAddress(local.get());
    }
    bootstrap
        .connect(remote)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                executor.execute(() -> connected.complete(client));
              } else {
                RpcFailedException failure =
                    new RpcFailedException(
                        "cannot connect to " + remote + ": " + done.cause().getMessage(),
                        done.cause());
                executor.execute(() -> connected.completeExceptionally(failure));
              }
            });
    return connected;
  }

  /**
   * Serves programs by datagrams at an address.
   *
   * @param local resolved, of one interface: replies leave from it
   * @return fails with {@link RpcFailedException} if the address cannot be listened on; completes
   *     on an event loop
   */
  public CompletionStage<DatagramListener> listenDatagrams(
      InetSocketAddress local, List<RpcProgram> programs) {
    DatagramListener listener = new DatagramListener(wiring, new Programs(programs));
    return bound(
        datagrams(listener.handler()).bind(local),
        listener,
        listener::bound,
        "cannot listen for datagrams on %s: %s; stop what uses it",
        local);
  }

  /**
   * What listens, once it does.
   *
   * @param refusal with places for the address and the reason
   */
  private static <T> CompletionStage<T> bound(
      ChannelFuture binding,
      T listener,
      Consumer<Channel> bound,
      String refusal,
      InetSocketAddress local) {
    CompletableFuture<T> listening = new CompletableFuture<>();
    binding.addListener(
        done -> {
          if (done.isSuccess()) {
            bound.accept(binding.channel());
            listening.complete(listener);
          } else {
            listening.completeExceptionally(
                new RpcFailedException(
                    refusal.formatted(local, done.cause().getMessage()), done.cause()));
          }
        });
    return listening;
  }

  private Bootstrap datagrams(ChannelHandler handler) {
    return new Bootstrap()
        .group(group)
        .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
        .option(ChannelOption.ALLOCATOR, allocator)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(DatagramListener.MAX_BYTES + 1))
        .handler(handler);
  }

  /**
   * Calls a procedure by datagrams.
   *
   * @param local its port may be 0, for any; so it is where the port cannot be used
   * @param timeoutMillis until then it is repeated
   * @param executor where the result is delivered
   * @return fails with {@link RpcFailedException} if the local address cannot be used, or the call
   *     is refused or not answered in time
   */
  public <T> CompletionStage<T> ask(
      InetSocketAddress local,
      InetSocketAddress remote,
      OncRpcClient.Call<T> call,
      int timeoutMillis,
      Executor executor) {
    DatagramCall<T> asked =
        new DatagramCall<>(
            remote, random.nextInt(), call, timeoutMillis, wiring.scheduler(), executor);
    bind(asked, local);
    return asked.result();
  }

  private void bind(DatagramCall<?> asked, InetSocketAddress local) {
    ChannelFuture binding = datagrams(asked).bind(local);
    binding.addListener(
        done -> {
          if (done.isSuccess()) {
            asked.start(binding.channel());
          } else if (local.getPort() != 0) {
            bind(asked, new InetSocketAddress(local.getAddress(), 0));
          } else {
            asked.fail(
                binding.channel(),
                new RpcFailedException(
                    "cannot call from " + local + ": " + done.cause().getMessage(), done.cause()));
          }
        });
  }

  /** Closes all listeners and connections. Must not be called on an event loop. */
  @Override
  public void close() {
    wiring.guard().close();
    var unused = group.shutdownGracefully(0, CLOSE_SECONDS / 2, TimeUnit.SECONDS);
    if (!group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "event loops of the NFS gateway did not end within " + CLOSE_SECONDS + " s");
    }
  }
}
