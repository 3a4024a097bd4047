package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.Hello;

/** The answering side of a connection, from the end of the handshake on. */
final class ServerConnection extends ChannelInboundHandlerAdapter implements RpcPeer {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

  /** A client that lets so much lie unread is ended rather than pushed to any further. */
  private static final int MAX_WAITING_FRAMES = 16_384;

  /** PINGs and CANCELs beyond the number of requests, in so long a time. */
  private static final int MAX_IDLE_FRAMES = 4_096;

  private static final long IDLE_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Channel channel;
  private final FrameDecoder decoder;
  private final FrameSender sender;
  private final PeerInfo info;
  private final boolean control;
  private final int backgroundPercent;
  private final byte[] clientNonce;
  private final byte[] nonce;
  private final NettyListener listener;
  private final ConnectionAdmission.Guest guest;
  private final RpcService service;
  private final Wiring wiring;
  private final InFlight inFlight;
  private final Arrival arrival;
  private final Map<Long, ServerRequest> requests = new LinkedHashMap<>();
  private final LoopInbox<OutboundFrame> inbox;
  private int idleFrames;
  private long idleSinceNanos;

  ServerConnection(
      Channel channel,
      FrameDecoder decoder,
      FrameSender sender,
      PeerInfo info,
      Hello hello,
      byte[] nonce,
      NettyListener listener,
      ConnectionAdmission.Guest guest) {
    this.channel = channel;
    this.decoder = decoder;
    this.sender = sender;
    this.info = info;
    this.control = hello.getControl();
    this.backgroundPercent = hello.getBackgroundPercent();
    this.clientNonce = hello.getNonce().toByteArray();
    this.nonce = nonce.clone();
    this.listener = listener;
    this.guest = guest;
    this.service = listener.service();
    this.wiring = listener.wiring();
    this.inFlight =
        new InFlight(
            channel,
            decoder,
            wiring.requestMemory(),
            listener.options().maxInFlightBytes(),
            listener.options().maxRequests());
    this.idleSinceNanos = wiring.ticker().nowNanos();
    this.arrival = new Arrival(channel, decoder, wiring);
    this.inbox = new LoopInbox<>(channel.eventLoop(), this::drainInbox, this::dropUnsent);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    wiring.metrics().connectionOpened(true);
    decoder.room(arrival);
    try {
      service.connected(this);
    } catch (RuntimeException e) {
      LOG.error("{} failed on a new connection", listener.name(), e);
      ChannelEnd.now(channel);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    InboundFrame frame = (InboundFrame) message;
    switch (frame.header().kind()) {
      case REQUEST -> begin(frame);
      case CANCEL -> {
        ServerRequest request = requests.get(frame.header().requestId());
        if (request != null) {
          request.giveUp();
        }
        countIdle(frame);
      }
      case PING -> countIdle(frame);
      default -> {
        frame.payload().release();
        refuse(0, ErrorCode.MALFORMED, "a client must not send " + frame.header().kind());
      }
    }
  }

  /** What asks for nothing is read for nothing: a client that sends only that is ended. */
  private void countIdle(InboundFrame frame) {
    long nowNanos = nowNanos();
    if (nowNanos - idleSinceNanos > IDLE_WINDOW_NANOS) {
      idleSinceNanos = nowNanos;
      idleFrames = 0;
    }
    if (++idleFrames > MAX_IDLE_FRAMES) {
      refuse(
          0,
          ErrorCode.OVERLOADED,
          idleFrames + " frames in a row asked for nothing, the last one " + frame.header().kind());
    }
  }

  private void begin(InboundFrame frame) {
    idleFrames = Math.max(0, idleFrames - 1);
    long requestId = frame.header().requestId();
    if (requestId == 0 || requests.containsKey(requestId)) {
      frame.payload().release();
      refuse(0, ErrorCode.MALFORMED, "request id " + requestId + " is in use or not allowed");
      return;
    }
    long nowNanos = nowNanos();
    guest.began(nowNanos);
    ServerRequest request = new ServerRequest(this, frame, arrival.handOver(), nowNanos);
    requests.put(requestId, request);
    inFlight.began(request.heldBytes());
    listener.began();
    if (listener.stopping()) {
      request.fail(ErrorCode.UNAVAILABLE, listener.name() + " is stopping");
      return;
    }
    try {
      service.handle(request);
    } catch (RuntimeException | Error e) {
      LOG.error(
          "{} failed on opcode 0x{}",
          listener.name(),
          Integer.toHexString(request.opcodeNumber()),
          e);
      request.fail(ErrorCode.INTERNAL, listener.name() + " failed: " + e);
    }
  }

  /** Any thread. */
  void answer(ServerRequest.ReplyFrame reply) {
    if (channel.eventLoop().inEventLoop()) {
      // Before the next request is looked at, which may come with this one.
      settle(reply);
    }
    inbox.put(reply);
  }

  @Override
  public void push(Opcode opcode, MessageLite body) {
    inbox.put(new PlainFrame(FrameKind.PUSH, opcode.number(), 0, body));
  }

  private void drainInbox() {
    for (OutboundFrame frame = inbox.take(); frame != null; frame = inbox.take()) {
      settle(frame);
      sender.offer(frame);
    }
    if (sender.waiting() > MAX_WAITING_FRAMES) {
      LOG.warn("{}: ended, it leaves {} messages unread", name(), sender.waiting());
      ChannelEnd.now(channel);
    }
    sender.pump();
  }

  /** A reply takes the place of its request, once. */
  private void settle(OutboundFrame frame) {
    if (frame instanceof ServerRequest.ReplyFrame reply
        && requests.remove(reply.requestId(), reply.request())) {
      guest.answered(nowNanos());
      reply.request().place().ifPresent(arrival::giveBack);
      inFlight.answered(reply.request().heldBytes(), reply.memoryBytes(), reply.fileBytes());
    }
  }

  /** The event loop has ended: nothing is left to confine to it. */
  private synchronized void dropUnsent(OutboundFrame frame) {
    settle(frame);
    FrameSender.drop(frame);
  }

  /** The reply's bytes have left or were given up. */
  void replyLeft(ServerRequest.ReplyFrame reply, long nanos) {
    inFlight.replyLeft(reply.memoryBytes(), reply.fileBytes());
    Optional<ErrorCode> failure = reply.failure();
    wiring.metrics().served(reply.opcodeNumber(), failure, nanos);
    listener.ended();
  }

  private void refuse(long requestId, ErrorCode code, String text) {
    inFlight.end();
    ChannelEnd.with(PlainFrame.error(0, requestId, code, text), channel, sender, wiring);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    sender.pump();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof RefusedFrame refused) {
      LOG.warn("{}: ended, {}", name(), refused.failure().getMessage());
      refuse(refused.requestId(), refused.failure().code(), refused.failure().getMessage());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("{}: {}", name(), cause.toString());
    } else {
      LOG.error("{}: connection failed", name(), cause);
    }
    ChannelEnd.now(ctx.channel());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inFlight.end();
    requests.values().forEach(ServerRequest::giveUp);
    sender.close();
    drainInbox();
    wiring.metrics().connectionClosed(true);
    service.disconnected(this);
  }

  /** A request was signed with a secret that the server knows. Any thread. */
  void proved() {
    if (!guest.proven()) {
      listener.admission().prove(guest);
    }
  }

  long nowNanos() {
    return wiring.ticker().nowNanos();
  }

  byte[] nonce() {
    return nonce;
  }

  /** Which the client drew; empty from one of an earlier release. */
  byte[] clientNonce() {
    return clientNonce;
  }

  private String name() {
    return info.name() + " at " + info.address();
  }

  @Override
  public PeerInfo info() {
    return info;
  }

  @Override
  public boolean control() {
    return control;
  }

  @Override
  public int backgroundPercent() {
    return backgroundPercent;
  }

  @Override
  public String host() {
    return guest.host();
  }

  @Override
  public void close() {
    ChannelEnd.now(channel);
  }

  @Override
  public String toString() {
    return name();
  }
}
