package org.weft.testkit.sim;

import com.google.protobuf.MessageLite;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;

/** Both ends of one connection on a {@link VirtualWire}. */
final class VirtualConnection implements RpcConnection {
  private final VirtualWire wire;
  private final PeerInfo server;
  private final ConnectOptions options;
  private final RpcService service;
  private final ServerSide serverSide = new ServerSide();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Set<VirtualCall> underWay = new LinkedHashSet<>();
  private long lastRequestNanos;
  private long lastReplyNanos;
  private long nextRequestId = 1;

  VirtualConnection(
      VirtualWire wire,
      Endpoint address,
      ConnectOptions options,
      ListenOptions listening,
      RpcService service) {
    this.wire = wire;
    this.options = options;
    this.service = service;
    this.server =
        new PeerInfo(
            address, listening.server(), listening.clusterId().get(), listening.incarnation(), 1);
  }

  RpcPeer serverSide() {
    return serverSide;
  }

  VirtualWire wire() {
    return wire;
  }

  @Override
  public PeerInfo peer() {
    return server;
  }

  @Override
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    if (!isOpen()) {
      request.payload().release();
      return CompletableFuture.failedFuture(lost());
    }
    VirtualCall call = new VirtualCall(this, request, nextRequestId++);
    underWay.add(call);
    wire.time().after(TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis()), call::expire);
    lastRequestNanos = inOrder(lastRequestNanos);
    wire.time()
        .after(lastRequestNanos - wire.time().nowNanos(), () -> wire.deliver(() -> deliver(call)));
    return call.answer();
  }

  private void deliver(VirtualCall call) {
    // A frame that has left is carried out although its caller has given up.
    call.payloadHasLeft();
    if (isOpen()) {
      service.handle(call);
    }
  }

  /** Runs when what the server sent now has crossed the wire, unless the connection ends before. */
  void sendBack(Runnable arrival, Runnable lost) {
    lastReplyNanos = inOrder(lastReplyNanos);
    wire.time()
        .after(
            lastReplyNanos - wire.time().nowNanos(),
            () -> {
              if (isOpen()) {
                arrival.run();
              } else {
                lost.run();
              }
            });
  }

  private long inOrder(long lastNanos) {
    return Math.max(lastNanos + 1, wire.time().nowNanos() + wire.latencyNanos());
  }

  void forget(VirtualCall call) {
    underWay.remove(call);
  }

  RpcException lost() {
    return new RpcException(
        ErrorCode.CONNECTION_LOST, "the connection to " + server.address() + " ended");
  }

  @Override
  public boolean isOpen() {
    return !closed.isDone();
  }

  @Override
  public CompletableFuture<Void> closed() {
    return closed;
  }

  @Override
  public void close() {
    if (closed.complete(null)) {
      List.copyOf(underWay).forEach(call -> call.abandon(lost()));
      service.disconnected(serverSide);
    }
  }

  /** The client as the server sees it. */
  private final class ServerSide implements RpcPeer {
    @Override
    public PeerInfo info() {
      return new PeerInfo(new Endpoint("client", 0), options.caller(), options.clusterId(), 0, 1);
    }

    @Override
    public boolean control() {
      return options.control();
    }

    @Override
    public void push(Opcode opcode, MessageLite body) {
      ByteBuffer bytes = body.toByteString().asReadOnlyByteBuffer();
      sendBack(() -> options.pushes().pushed(opcode.number(), bytes), () -> {});
    }

    @Override
    public void close() {
      VirtualConnection.this.close();
    }
  }
}
