package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;

/**
 * Cuts the stream into {@link InboundFrame}s. Nothing is allocated before the head was checked
 * against the limits; a frame that lies becomes one {@link RefusedFrame} event, and what follows is
 * thrown away.
 *
 * <p>A payload is one buffer of the {@link PayloadMemory}. Where it can, the socket is read
 * straight into it: see {@link DirectFill}.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {
  /** Below this the rest of a payload is read together with what follows it, in one system call. */
  private static final int MIN_DIRECT_FILL_BYTES = 16 << 10;

  private final TransportMetrics metrics;
  private final PayloadMemory memory;
  private FrameLimits limits = FrameLimits.HANDSHAKE;
  private byte[] head = new byte[FrameHeader.BYTES];
  private int headFilled;
  private FrameHeader header;
  private byte[] body;
  private int bodyFilled;
  private ByteBuf payload;
  private ByteBuf lent;
  private long lastCounter;
  private boolean refusing;

  FrameDecoder(TransportMetrics metrics, PayloadMemory memory) {
    this.metrics = metrics;
    this.memory = memory;
  }

  /** The limits for frames from the next one on. */
  void limit(FrameLimits next) {
    limits = next;
  }

  /** Throws away whatever still comes. */
  void refuseAll() {
    refusing = true;
    releasePartial();
  }

  /**
   * Memory of the payload under way that the socket may be read into next, or null if it should be
   * read into a buffer of its own. The caller gives back exactly this buffer, by {@link
   * #channelRead} or by releasing it.
   */
  ByteBuf lend() {
    lent = null;
    boolean inPayload = payload != null && bodyFilled == body.length;
    if (inPayload && payload.writableBytes() >= MIN_DIRECT_FILL_BYTES) {
      lent = payload.retainedSlice(payload.writerIndex(), payload.writableBytes()).writerIndex(0);
    }
    return lent;
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // The very buffer that was lent, not one with the same bytes.
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (in == lent && payload != null) {
        payload.writerIndex(payload.writerIndex() + in.readableBytes());
        emitIfWhole(ctx);
        return;
      }
      while (in.isReadable() && !refusing) {
        step(ctx, in);
      }
    } finally {
      lent = null;
      in.release();
    }
  }

  private void step(ChannelHandlerContext ctx, ByteBuf in) {
    if (header == null) {
      int count = Math.min(in.readableBytes(), head.length - headFilled);
      in.readBytes(head, headFilled, count);
      headFilled += count;
      if (headFilled < head.length || !begin(ctx)) {
        return;
      }
    } else if (bodyFilled < body.length) {
      int count = Math.min(in.readableBytes(), body.length - bodyFilled);
      in.readBytes(body, bodyFilled, count);
      bodyFilled += count;
    } else {
      payload.writeBytes(in, Math.min(in.readableBytes(), payload.writableBytes()));
    }
    emitIfWhole(ctx);
  }

  /** The head is there: checks it and makes room for the rest. False if it was refused. */
  private boolean begin(ChannelHandlerContext ctx) {
    try {
      FrameHeader decoded = FrameHeader.decode(ByteBuffer.wrap(head), limits);
      checkCounter(decoded.counter());
      body = new byte[decoded.bodyBytes()];
      bodyFilled = 0;
      payload = allocate(decoded.payloadBytes());
      header = decoded;
      return true;
    } catch (RpcException e) {
      refuseAll();
      ctx.fireUserEventTriggered(
          new RefusedFrame(FrameHeader.requestIdOf(ByteBuffer.wrap(head)), e));
      return false;
    }
  }

  private void checkCounter(long counter) throws RpcException {
    if (Long.compareUnsigned(counter, lastCounter) <= 0) {
      throw new RpcException(
          ErrorCode.MALFORMED,
          "frame counter went from "
              + Long.toUnsignedString(lastCounter)
              + " to "
              + Long.toUnsignedString(counter)
              + "; a frame was repeated or came out of order");
    }
    lastCounter = counter;
  }

  private ByteBuf allocate(int bytes) throws RpcException {
    if (bytes == 0) {
      return null;
    }
    try {
      return memory.take(bytes);
    } catch (OutOfMemoryError e) {
      throw new RpcException(
          ErrorCode.OVERLOADED, "no memory is left for a payload of " + bytes + " bytes", e);
    }
  }

  private void emitIfWhole(ChannelHandlerContext ctx) {
    boolean whole = bodyFilled == body.length && (payload == null || !payload.isWritable());
    if (!whole) {
      return;
    }
    Payload arrived = payload == null ? Payload.EMPTY : new PooledPayload(payload, memory);
    InboundFrame frame =
        new InboundFrame(header, head, ByteBuffer.wrap(body).asReadOnlyBuffer(), arrived);
    metrics.received(FrameHeader.BYTES + (long) header.bodyBytes() + header.payloadBytes());
    head = new byte[FrameHeader.BYTES];
    headFilled = 0;
    header = null;
    body = null;
    payload = null;
    ctx.fireChannelRead(frame);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    refuseAll();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    refuseAll();
  }

  private void releasePartial() {
    if (payload != null) {
      payload.release();
      payload = null;
    }
  }
}
