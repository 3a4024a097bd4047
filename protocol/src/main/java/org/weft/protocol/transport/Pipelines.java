package org.weft.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import java.util.function.BiFunction;

/**
 * The handlers of a connection, from the socket inwards: keep-alive, frame decoder, then the
 * handshake, whose place the connection takes. Frames go out past them, by the {@link FrameSender}.
 *
 * <p>TLS will stand in front of all of them. Then {@link DirectFill} must stay off and file
 * payloads have to leave by their buffers.
 */
final class Pipelines {
  private static final WriteBufferWaterMark WRITE_MARKS =
      new WriteBufferWaterMark(512 << 10, 2 << 20);

  private Pipelines() {}

  static void fill(
      Channel channel,
      Wiring wiring,
      boolean server,
      BiFunction<FrameDecoder, FrameSender, ChannelHandler> handshake) {
    FrameDecoder decoder = new FrameDecoder(wiring.metrics(), wiring.payloadMemory());
    FrameSender sender = new FrameSender(channel, wiring);
    channel.config().setRecvByteBufAllocator(new DirectFill(decoder));
    channel.config().setMessageSizeEstimator(new FrameSizes());
    channel.config().setWriteBufferWaterMark(WRITE_MARKS);
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.addLast("keepAlive", new KeepAlive(channel, sender, wiring, server));
    pipeline.addLast("frames", decoder);
    pipeline.addLast("handshake", handshake.apply(decoder, sender));
  }
}
