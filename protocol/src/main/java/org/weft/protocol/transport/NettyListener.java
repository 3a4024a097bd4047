package org.weft.protocol.transport;

import io.netty.channel.Channel;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcService;

/**
 * A listening socket, the one of the machine beside it if there is one, and the connections they
 * took. Thread-safe.
 */
final class NettyListener implements RpcListener {
  private static final Logger LOG = LoggerFactory.getLogger(NettyListener.class);

  /** What ending the connections may take, once their replies are out. */
  private static final long CLOSE_MARGIN_MILLIS = 3_000;

  private final ListenOptions options;
  private final VersionRange versions;
  private final RpcService service;
  private final Wiring wiring;
  private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
  private final ConnectionAdmission admission;
  private final AtomicInteger answering = new AtomicInteger();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CompletableFuture<Void> quiet = new CompletableFuture<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private volatile Channel socket;
  private volatile Optional<LocalSocket> local = Optional.empty();
  private volatile Endpoint address;

  NettyListener(ListenOptions options, VersionRange versions, RpcService service, Wiring wiring) {
    this.options = options;
    this.versions = versions;
    this.service = service;
    this.wiring = wiring;
    this.admission =
        new ConnectionAdmission(
            wiring.options().maxConnections(), wiring.options().maxConnectionsOfHost());
  }

  void bound(Channel listening, Endpoint at) {
    socket = listening;
    address = at;
  }

  /** It answers on that socket of the machine, too, as long as it listens. */
  void bound(Channel listening, LocalSocket at) {
    local = Optional.of(at);
    socket.closeFuture().addListener(done -> ChannelEnd.now(listening));
  }

  /** The socket of the machine that leads here. */
  Optional<LocalSocket> local() {
    return local;
  }

  ListenOptions options() {
    return options;
  }

  VersionRange versions() {
    return versions;
  }

  RpcService service() {
    return service;
  }

  Wiring wiring() {
    return wiring;
  }

  String name() {
    return options.server().get();
  }

  /** Counts a new connection in; the answer says why it cannot stay. */
  Optional<WeftException> admit(Channel channel, ConnectionAdmission.Guest guest) {
    channels.add(channel);
    channel.closeFuture().addListener(done -> closed(channel, guest));
    if (stopping.get()) {
      return Optional.of(new WeftException(ErrorCode.UNAVAILABLE, name() + " is stopping"));
    }
    return admission
        .admit(guest, wiring.ticker().nowNanos())
        .map(
            full ->
                new WeftException(
                    ErrorCode.OVERLOADED,
                    name()
                        + " has "
                        + full
                        + " already; try again later, or raise the bound in its configuration"));
  }

  /** Those that are refused stay for a second, to hear why; when they are a crowd, no more do. */
  boolean isCrowded() {
    return channels.size() > 2 * wiring.options().maxConnections();
  }

  ConnectionAdmission admission() {
    return admission;
  }

  private void closed(Channel channel, ConnectionAdmission.Guest guest) {
    channels.remove(channel);
    admission.leave(guest);
    finishIfEmpty();
  }

  boolean stopping() {
    return stopping.get();
  }

  /** A request came in. */
  void began() {
    answering.incrementAndGet();
  }

  /** Its reply left or was given up. */
  void ended() {
    if (answering.decrementAndGet() == 0 && stopping.get()) {
      quiet.complete(null);
    }
  }

  @Override
  public Endpoint address() {
    return address;
  }

  @Override
  public CompletionStage<Void> stop() {
    if (stopping.compareAndSet(false, true)) {
      ChannelEnd.now(socket);
      long graceNanos = TimeUnit.MILLISECONDS.toNanos(wiring.options().stopGraceMillis());
      Runnable giveUp = () -> quiet.complete(null);
      var timer = wiring.scheduler().schedule(graceNanos, socket.eventLoop(), giveUp);
      var unused =
          quiet.thenRun(
              () -> {
                timer.cancel();
                channels.forEach(ChannelEnd::now);
                finishIfEmpty();
              });
      if (answering.get() == 0) {
        quiet.complete(null);
      }
    }
    return stopped.copy();
  }

  private void finishIfEmpty() {
    if (quiet.isDone() && channels.isEmpty()) {
      stopped.complete(null);
    }
  }

  @Override
  public void close() {
    if (socket.eventLoop().inEventLoop()) {
      throw new IllegalStateException("a listener cannot be closed on its own event loop");
    }
    long millis = wiring.options().stopGraceMillis() + CLOSE_MARGIN_MILLIS;
    try {
      stop().toCompletableFuture().get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("{} at {} did not stop in {} ms", name(), address, millis);
      channels.forEach(ChannelEnd::now);
    } catch (InterruptedException e) {
      channels.forEach(ChannelEnd::now);
      Thread.currentThread().interrupt();
    }
  }
}
