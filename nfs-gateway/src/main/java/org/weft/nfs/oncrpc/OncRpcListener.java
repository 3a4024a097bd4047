package org.weft.nfs.oncrpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An address where programs are served, and the connections to it. Thread-safe. */
public final class OncRpcListener {
  private static final Logger LOG = LoggerFactory.getLogger(OncRpcListener.class);

  /** A host may have so many connections in any case. */
  private static final int MIN_SHARE = 64;

  private final ServerWiring wiring;
  private final Programs programs;
  private final Set<CallConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private final Map<InetAddress, Integer> ofHosts = new ConcurrentHashMap<>();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Runnable stalls = this::settle;
  private volatile Channel socket;

  OncRpcListener(ServerWiring wiring, Programs programs) {
    this.wiring = wiring;
    this.programs = programs;
  }

  private void settle() {
    connections.forEach(CallConnection::settleSoon);
  }

  void bound(Channel listening) {
    socket = listening;
    listening.closeFuture().addListener(done -> wiring.guard().forget(stalls));
    wiring.guard().listen(stalls);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.localAddress();
  }

  ChannelInitializer<Channel> newConnections() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        admit(channel);
      }
    };
  }

  private void admit(Channel channel) {
    if (stopping.get() || !(channel.remoteAddress() instanceof InetSocketAddress client)) {
      var unused = channel.close();
      return;
    }
    InetAddress host = client.getAddress();
    boolean hasShare = ofHosts.merge(host, 1, Integer::sum) <= share();
    if (!wiring.counters().connected(hasShare ? wiring.options().mostConnections() : 0)) {
      leave(host);
      LOG.info("{}: not taken, there are as many connections as may be", client);
      var unused = channel.close();
      return;
    }
    CallConnection connection = new CallConnection(channel, client, programs, wiring);
    connections.add(connection);
    channels.add(channel);
    channel
        .closeFuture()
        .addListener(
            done -> {
              wiring.counters().disconnected();
              leave(host);
              connections.remove(connection);
              channels.remove(channel);
              finishIfEmpty();
            });
    channel.config().setRecvByteBufAllocator(connection.decoder().allocator());
    channel.pipeline().addLast("records", connection.decoder()).addLast("calls", connection);
    if (stopping.get()) {
      connection.stop();
    }
    connection.settleSoon();
  }

  /** Connections of one host at most, so that it does not take all. */
  private int share() {
    return Math.max(MIN_SHARE, wiring.options().mostConnections() / 2);
  }

  private void leave(InetAddress host) {
    ofHosts.computeIfPresent(host, (each, count) -> count == 1 ? null : count - 1);
  }

  /**
   * Takes no more connections and calls, and closes each connection once its calls are answered, or
   * when the grace is over.
   *
   * @return completes on an event loop when all are closed
   */
  public CompletionStage<Void> stop() {
    if (stopping.compareAndSet(false, true)) {
      socket
          .close()
          .addListener(
              done -> {
                for (CallConnection connection : connections) {
                  connection.stopSoon();
                }
                finishIfEmpty();
              });
      long graceNanos = TimeUnit.MILLISECONDS.toNanos(wiring.options().stopGraceMillis());
      var timer = wiring.scheduler().schedule(graceNanos, socket.eventLoop(), this::closeAll);
      var unused = stopped.thenRun(timer::cancel);
    }
    return stopped.copy();
  }

  private void closeAll() {
    for (Channel channel : channels) {
      var unused = channel.close();
    }
  }

  private void finishIfEmpty() {
    if (stopping.get() && !socket.isOpen() && channels.isEmpty()) {
      stopped.complete(null);
    }
  }
}
