package org.weft.testkit.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.testkit.sim.WireFaults.Fate;
import org.weft.testkit.sim.WireFaults.FrameKind;
import org.weft.testkit.sim.WireFaults.Harm;

/** Both ends of one connection on a {@link VirtualWire}; the caller's is the connection itself. */
final class VirtualConnection implements RpcConnection {
  /** Long enough for whatever was asked for to be done. */
  private static final long LATE_END_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final VirtualWire wire;
  private final WireHost client;
  private final WireHost server;
  private final PeerInfo listener;
  private final ConnectOptions options;
  private final RpcService service;
  private final ServerSide serverSide = new ServerSide();
  private final Lane requests;
  private final Lane replies;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Set<VirtualCall> underWay = new LinkedHashSet<>();

  /** Calls whose bytes have not arrived; some of them may be over at the caller's side. */
  private final Set<VirtualCall> leaving = new LinkedHashSet<>();

  private boolean clientOpen = true;
  private boolean serverOpen = true;
  private boolean silent;
  private long nextRequestId = 1;
  private long heardNanos;

  VirtualConnection(
      VirtualWire wire,
      WireHost client,
      WireHost server,
      ConnectOptions options,
      PeerInfo listener,
      RpcService service) {
    this.wire = wire;
    this.client = client;
    this.server = server;
    this.options = options;
    this.listener = listener;
    this.service = service;
    this.requests = new Lane(wire, client, server, true);
    this.replies = new Lane(wire, server, client, false);
  }

  RpcPeer serverSide() {
    return serverSide;
  }

  VirtualWire wire() {
    return wire;
  }

  WireHost server() {
    return server;
  }

  WireHost client() {
    return client;
  }

  boolean isOf(WireHost host) {
    return client == host || server == host;
  }

  boolean isCut() {
    return wire.isCut(client, server) || wire.isCut(server, client);
  }

  boolean isServerOpen() {
    return serverOpen;
  }

  /** The caller has its connection when this arrives, unless it gave up before. */
  void answerHandshake(CompletableFuture<RpcConnection> connected) {
    replies.send(
        0,
        () -> {
          heardNanos = client.ticker().nowNanos();
          if (!connected.complete(this)) {
            close();
          }
        });
  }

  @Override
  public PeerInfo peer() {
    return listener;
  }

  @Override
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    if (!clientOpen) {
      request.payload().release();
      return CompletableFuture.failedFuture(lost());
    }
    VirtualCall call = new VirtualCall(this, request, nextRequestId++);
    underWay.add(call);
    leaving.add(call);
    call.expiresBy(
        wire.time()
            .after(
                TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis()),
                () -> client.gate().execute(call::expire)));
    call.saw(WireObserver.Event.SENT, client, server);
    if (silent) {
      return call.answer();
    }
    Fate fate = wire.faults().fate(FrameKind.REQUEST, client.machine(), server.machine());
    if (fate.harm() == Harm.LOST) {
      breaks();
    } else {
      requests.send(fate.delayNanos(), () -> arrived(call, fate.harm()));
      if (fate.harm() == Harm.ORPHANED || fate.harm() == Harm.OUTLIVING) {
        long endNanos = fate.harm() == Harm.ORPHANED ? 0 : fate.delayNanos() + LATE_END_NANOS;
        requests.send(endNanos, this::serverEnds);
        wire.time().after(0, () -> client.gate().execute(this::clientEnds));
      }
    }
    return call.answer();
  }

  private void arrived(VirtualCall call, Harm harm) {
    if (harm == Harm.BREAKS_AFTER) {
      breaks();
    }
    // What has left is carried out although its caller may have given up.
    leaving.remove(call);
    call.payloadHasLeft();
    if (serverOpen) {
      call.arrived();
      call.saw(WireObserver.Event.ARRIVED, client, server);
      service.handle(call);
    } else {
      call.saw(WireObserver.Event.LOST, client, server);
    }
  }

  /** The caller has given up; the server hears of it after the request itself. */
  void cancel(VirtualCall call) {
    underWay.remove(call);
    if (clientOpen && !silent) {
      requests.send(0, call::giveUp);
    }
  }

  /** The call is over at the caller's side. */
  void forget(VirtualCall call) {
    underWay.remove(call);
  }

  /** Runs when what the server sent now has crossed the wire; the other one if it never will. */
  void sendBack(FrameKind kind, Runnable arrival, Runnable lost) {
    if (!serverOpen || silent) {
      lost.run();
      return;
    }
    Fate fate = wire.faults().fate(kind, server.machine(), client.machine());
    if (fate.harm() == Harm.LOST) {
      lost.run();
      breaks();
      return;
    }
    replies.send(
        fate.delayNanos(),
        () -> {
          if (clientOpen) {
            heardNanos = client.ticker().nowNanos();
            arrival.run();
          } else {
            lost.run();
          }
          if (fate.harm() == Harm.BREAKS_AFTER) {
            breaks();
          }
        });
    if (fate.harm() == Harm.ORPHANED) {
      wire.time().after(0, () -> server.gate().execute(this::endServer));
    }
  }

  WeftException lost() {
    return new WeftException(
        ErrorCode.CONNECTION_LOST, "the connection to " + listener.address() + " ended");
  }

  @Override
  public boolean isOpen() {
    return clientOpen;
  }

  @Override
  public int callsUnderWay() {
    return underWay.size();
  }

  @Override
  public long heardNanos() {
    return heardNanos;
  }

  @Override
  public CompletableFuture<Void> closed() {
    return closed;
  }

  @Override
  public void close() {
    if (clientOpen) {
      clientEnds();
      tell(requests, this::serverEnds);
    }
  }

  /** The other end hears of it after all that was sent before; in one process at once. */
  private void tell(Lane lane, Runnable end) {
    if (client == server && !silent) {
      end.run();
    } else if (!silent) {
      lane.send(0, end);
    }
  }

  /** What is sent from now on arrives nowhere, and no end hears of that before it takes long. */
  void fallsSilent(long endNanos) {
    silent = true;
    wire.time().after(endNanos, this::breaks);
  }

  /** Both ends hear of it, each in its own time. */
  void breaks() {
    wire.time().after(0, () -> client.gate().execute(this::clientEnds));
    wire.time().after(0, () -> server.gate().execute(this::serverEnds));
  }

  boolean isBetween(String one, String other) {
    String here = client.machine();
    String there = server.machine();
    return here.equals(one) && there.equals(other) || here.equals(other) && there.equals(one);
  }

  void endIf(boolean condition) {
    if (condition) {
      breaks();
    }
  }

  /** The end that is not this process's. */
  void endOtherIf(WireHost host, boolean condition) {
    if (condition) {
      if (host == server) {
        client.gate().execute(this::close);
      } else {
        server.gate().execute(this::endServer);
      }
    }
  }

  private void clientEnds() {
    if (!clientOpen) {
      return;
    }
    clientOpen = false;
    wire.saw(WireObserver.Event.CLOSED, client, server, 0, 0, ByteString.EMPTY, 0);
    List<VirtualCall> failing = List.copyOf(underWay);
    underWay.clear();
    leaving.forEach(VirtualCall::payloadHasLeft);
    leaving.clear();
    closed.complete(null);
    failing.forEach(call -> call.abandon(lost()));
    forgetIfOver();
  }

  private void serverEnds() {
    if (serverOpen) {
      serverOpen = false;
      wire.saw(WireObserver.Event.CLOSED, server, client, 0, 0, ByteString.EMPTY, 0);
      service.disconnected(serverSide);
      forgetIfOver();
    }
  }

  /** The server ends it; what it sent before still arrives. */
  void endServer() {
    if (serverOpen) {
      serverEnds();
      tell(replies, this::clientEnds);
    }
  }

  /** A process is gone, and nothing of it runs any more; the other end learns of it later. */
  void dies(WireHost host, long silenceNanos) {
    if (client == host && clientOpen) {
      clientOpen = false;
      underWay.forEach(VirtualCall::dies);
      underWay.clear();
      leaving.clear();
      requests.send(silenceNanos, this::serverEnds);
    }
    if (server == host && serverOpen) {
      serverOpen = false;
      replies.send(silenceNanos, this::clientEnds);
    }
    forgetIfOver();
  }

  private void forgetIfOver() {
    if (!clientOpen && !serverOpen) {
      wire.forget(this);
    }
  }

  /** The client as the server sees it. */
  private final class ServerSide implements RpcPeer {
    @Override
    public PeerInfo info() {
      return PeerOf.caller(options);
    }

    @Override
    public boolean control() {
      return options.control();
    }

    @Override
    public int backgroundPercent() {
      return options.backgroundPercent();
    }

    @Override
    public void push(Opcode opcode, MessageLite body) {
      if (serverOpen) {
        ByteString bytes = body.toByteString();
        wire.saw(WireObserver.Event.PUSHED, server, client, opcode.number(), 0, bytes, 0);
        sendBack(
            FrameKind.PUSH,
            () -> options.pushes().pushed(opcode.number(), bytes.asReadOnlyByteBuffer()),
            () -> {});
      }
    }

    @Override
    public void close() {
      endServer();
    }
  }
}
