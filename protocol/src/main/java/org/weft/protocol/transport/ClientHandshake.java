package org.weft.protocol.transport;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.wire.HelloReply;
import org.weft.protocol.wire.RpcError;

/** Says hello, waits for the answer, then gives its place to the {@link ClientConnection}. */
final class ClientHandshake extends ChannelInboundHandlerAdapter {
  private final Endpoint remote;
  private final ConnectOptions options;
  private final VersionRange versions;
  private final Wiring wiring;
  private final FrameDecoder decoder;
  private final FrameSender sender;
  private final CompletableFuture<Dialer.Greeting> greeted;
  private final byte[] nonce = new byte[FrameMac.NONCE_BYTES];

  ClientHandshake(
      Endpoint remote,
      ConnectOptions options,
      VersionRange versions,
      Wiring wiring,
      FrameDecoder decoder,
      FrameSender sender,
      CompletableFuture<Dialer.Greeting> greeted) {
    this.remote = remote;
    this.options = options;
    this.versions = versions;
    this.wiring = wiring;
    this.decoder = decoder;
    this.sender = sender;
    this.greeted = greeted;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    wiring.random().nextBytes(nonce);
    sender.offer(PlainFrame.of(FrameKind.HELLO, Handshake.hello(versions, options, nonce)));
    sender.pump();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    InboundFrame frame = (InboundFrame) message;
    frame.payload().release();
    try {
      switch (frame.header().kind()) {
        case HELLO_REPLY -> accept(ctx, HelloReply.parseFrom(frame.body().duplicate()));
        case ERROR -> {
          RpcError error = RpcError.parseFrom(frame.body().duplicate());
          throw new WeftException(ErrorCode.of(error.getCode()), error.getMessage());
        }
        case PING -> {}
        default ->
            throw new WeftException(
                ErrorCode.MALFORMED, "expected HELLO_REPLY, got " + frame.header().kind());
      }
    } catch (InvalidProtocolBufferException e) {
      fail(ctx, new WeftException(ErrorCode.MALFORMED, "the handshake could not be read: " + e, e));
    } catch (WeftException e) {
      fail(ctx, e);
    }
  }

  private void accept(ChannelHandlerContext ctx, HelloReply reply) throws WeftException {
    PeerInfo peer = Handshake.serverInfo(reply, versions, options, remote);
    Channel channel = ctx.channel();
    sender.nonce(reply.getNonce().toByteArray());
    decoder.limit(FrameLimits.MAX);
    ClientConnection connection =
        new ClientConnection(
            channel,
            sender,
            peer,
            new FrameLimits(reply.getMaxBodyBytes(), reply.getMaxPayloadBytes()),
            options.pushes(),
            nonce,
            ctx.pipeline().get(KeepAlive.class),
            wiring);
    ctx.pipeline().replace(this, "connection", connection);
    wiring.metrics().connectionOpened(false);
    Optional<LocalSocket> local =
        wiring.machine().flatMap(machine -> LocalSocket.toldBy(reply, machine));
    if (!greeted.complete(new Dialer.Greeting(connection, local))) {
      ChannelEnd.now(channel);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof RefusedFrame refused) {
      fail(ctx, refused.failure());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, new WeftException(ErrorCode.UNAVAILABLE, SocketFailure.inPlainWords(cause), cause));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    sender.close();
    fail(
        ctx,
        new WeftException(
            ErrorCode.UNAVAILABLE,
            "the other side hung up during the handshake; is this a port of Weft?"));
  }

  private void fail(ChannelHandlerContext ctx, WeftException failure) {
    greeted.completeExceptionally(
        new WeftException(failure.code(), remote + ": " + failure.getMessage(), failure));
    ChannelEnd.now(ctx.channel());
  }
}
