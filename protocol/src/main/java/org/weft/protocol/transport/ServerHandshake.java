package org.weft.protocol.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.Hello;
import org.weft.protocol.wire.HelloReply;

/** Waits for a client's HELLO, then gives its place to the {@link ServerConnection}. */
final class ServerHandshake extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ServerHandshake.class);

  private final NettyListener listener;
  private final Wiring wiring;
  private final FrameDecoder decoder;
  private final FrameSender sender;
  private Scheduler.Timer timer = () -> {};
  private ConnectionAdmission.Guest guest;

  ServerHandshake(NettyListener listener, FrameDecoder decoder, FrameSender sender) {
    this.listener = listener;
    this.wiring = listener.wiring();
    this.decoder = decoder;
    this.sender = sender;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    if (listener.isCrowded()) {
      ChannelEnd.now(ctx.channel());
      return;
    }
    int millis = wiring.options().handshakeMillis();
    timer =
        wiring
            .scheduler()
            .schedule(
                TimeUnit.MILLISECONDS.toNanos(millis), ctx.channel().eventLoop(), () -> late(ctx));
    Channel channel = ctx.channel();
    guest =
        new ConnectionAdmission.Guest(
            PeerHost.of(channel),
            () -> {
              LOG.debug("{}: ended, it was idle and others wait", remote(channel));
              ChannelEnd.now(channel);
            },
            wiring.ticker().nowNanos());
    listener.admit(channel, guest).ifPresent(refusal -> refuse(ctx, refusal));
  }

  private void late(ChannelHandlerContext ctx) {
    if (!ctx.isRemoved()) {
      refuse(
          ctx,
          new WeftException(
              ErrorCode.DEADLINE_EXCEEDED,
              "no handshake within " + wiring.options().handshakeMillis() + " ms"));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    InboundFrame frame = (InboundFrame) message;
    frame.payload().release();
    try {
      if (frame.header().kind() != FrameKind.HELLO) {
        throw new WeftException(
            ErrorCode.MALFORMED, "expected HELLO first, got " + frame.header().kind());
      }
      accept(ctx, Hello.parseFrom(frame.body().duplicate()));
    } catch (InvalidProtocolBufferException e) {
      refuse(ctx, new WeftException(ErrorCode.MALFORMED, "HELLO could not be read: " + e, e));
    } catch (WeftException e) {
      refuse(ctx, e);
    }
  }

  private void accept(ChannelHandlerContext ctx, Hello hello) throws WeftException {
    byte[] nonce = new byte[FrameMac.NONCE_BYTES];
    wiring.random().nextBytes(nonce);
    HelloReply.Builder answer =
        Handshake.accept(hello, listener.versions(), listener.options(), nonce).toBuilder();
    listener.local().ifPresent(socket -> socket.tell(answer));
    HelloReply reply = answer.build();
    PeerInfo info = Handshake.clientInfo(hello, remote(ctx.channel()), reply.getVersion());
    timer.cancel();
    decoder.limit(FrameLimits.of(listener.options()));
    sender.offer(PlainFrame.of(FrameKind.HELLO_REPLY, reply));
    sender.pump();
    ctx.pipeline()
        .replace(
            this,
            "connection",
            new ServerConnection(
                ctx.channel(), decoder, sender, info, hello, nonce, listener, guest));
  }

  private void refuse(ChannelHandlerContext ctx, WeftException failure) {
    LOG.info("{}: refused, {}", remote(ctx.channel()), failure.getMessage());
    timer.cancel();
    ChannelEnd.with(
        PlainFrame.error(0, 0, failure.code(), failure.getMessage()),
        ctx.channel(),
        sender,
        wiring);
  }

  private static Endpoint remote(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? new Endpoint(address.getAddress().getHostAddress(), address.getPort())
        : new Endpoint("this machine", 0);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof RefusedFrame refused) {
      refuse(ctx, refused.failure());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("{}: {}", remote(ctx.channel()), cause.toString());
    ChannelEnd.now(ctx.channel());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    timer.cancel();
    sender.close();
  }
}
