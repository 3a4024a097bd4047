package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.transport.memory.PayloadMemory;
import org.weft.protocol.transport.memory.PooledPayload;

/**
 * Cuts the stream into {@link InboundFrame}s. Nothing is allocated before the head was checked
 * against the limits; a frame that lies becomes one {@link RefusedFrame} event, and what follows is
 * thrown away.
 *
 * <p>A decoder that is held begins no further frame. It keeps what it has been given of the next
 * frames, and turns the reading of the socket off. So it does while the {@link FrameRoom} has no
 * room for a frame whose head is there. A frame that was let in is always read to its end.
 *
 * <p>A payload is one buffer of the {@link PayloadMemory}. Where it can, the socket is read
 * straight into it: see {@link DirectFill}.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter implements DirectFill.Lender {
  /** Below this the rest of a payload is read together with what follows it, in one system call. */
  private static final int MIN_DIRECT_FILL_BYTES = 16 << 10;

  /**
   * A payload that it pays for to read little with what stands before it: the rest is not copied.
   */
  private static final int LARGE_PAYLOAD_BYTES = 32 << 10;

  /** So many frames of one turn make others wait long enough: the next connection has its turn. */
  private static final int MAX_FRAMES_A_TURN = 64;

  /** Room for a head and most bodies. */
  private static final int HEAD_ROOM_BYTES = 2 << 10;

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
  private ByteBuf kept;
  private int lastPayloadBytes;
  private long lastCounter;
  private boolean refusing;
  private int framesOfTurn;
  private boolean held;
  private boolean cutting;
  private FrameRoom room = FrameRoom.ALWAYS;
  private ChannelHandlerContext context;

  FrameDecoder(TransportMetrics metrics, PayloadMemory memory) {
    this.metrics = metrics;
    this.memory = memory;
  }

  /** The limits for frames from the next one on. */
  void limit(FrameLimits next) {
    limits = next;
  }

  /** What is asked before large frames are let in, from the next one on. */
  void room(FrameRoom next) {
    room = next;
  }

  /** Begins no further frame until told otherwise. */
  void hold(boolean wanted) {
    if (held != wanted) {
      held = wanted;
      goOn();
    }
  }

  /** Goes on with what was kept, as far as that is allowed now. */
  void goOn() {
    if (cutting) {
      return;
    }
    if (kept != null) {
      ByteBuf in = kept;
      kept = null;
      cut(context, in);
    }
    regulate();
  }

  private void regulate() {
    boolean read = !room.waits() && !(held && header == null);
    if (!refusing && read != context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(read);
    }
  }

  /** Takes nothing more of the stream, and says why. */
  void refuse(WeftException failure) {
    refuseAll(context, failure);
  }

  private void refuseAll(ChannelHandlerContext ctx, WeftException failure) {
    refuseAll();
    ctx.fireUserEventTriggered(
        new RefusedFrame(FrameHeader.requestIdOf(ByteBuffer.wrap(head)), failure));
  }

  /** Throws away whatever still comes. */
  void refuseAll() {
    refusing = true;
    releasePartial();
  }

  /** Memory of the payload under way. */
  @Override
  public ByteBuf lend() {
    lent = null;
    boolean fills = isInPayload() && kept == null && payload.isDirect();
    if (fills && payload.writableBytes() >= MIN_DIRECT_FILL_BYTES) {
      lent = payload.retainedSlice(payload.writerIndex(), payload.writableBytes()).writerIndex(0);
    }
    return lent;
  }

  /**
   * How much to read where payloads are large and another may follow. That is what comes before the
   * payload, and as much of it as must be there before it is let in.
   */
  @Override
  public int mostBytes() {
    int expectedBytes = header == null ? lastPayloadBytes : header.payloadBytes();
    if (expectedBytes < LARGE_PAYLOAD_BYTES) {
      return Integer.MAX_VALUE;
    }
    int restBytes = isInPayload() ? payload.writableBytes() : 0;
    return restBytes + HEAD_ROOM_BYTES + room.proofBytes(expectedBytes);
  }

  @Override
  public boolean hadItsTurn() {
    return framesOfTurn >= MAX_FRAMES_A_TURN;
  }

  @Override
  public void turnEnds() {
    framesOfTurn = 0;
  }

  private boolean isInPayload() {
    return payload != null && bodyFilled == body.length;
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // The very buffer that was lent, not one with the same bytes.
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    if (in == lent && payload != null) {
      try {
        payload.writerIndex(payload.writerIndex() + in.readableBytes());
        emitIfWhole(ctx);
      } finally {
        lent = null;
        in.release();
      }
    } else {
      cut(ctx, kept == null ? in : behindKept(in));
    }
    regulate();
  }

  private ByteBuf behindKept(ByteBuf in) {
    ByteBuf before = kept;
    kept = null;
    try {
      if (before.writableBytes() < in.readableBytes()) {
        ByteBuf small = before;
        try {
          before = memory.room(small.readableBytes() + in.readableBytes()).writeBytes(small);
        } finally {
          small.release();
        }
      }
      return before.writeBytes(in);
    } finally {
      in.release();
    }
  }

  /** Cuts frames while it may, and keeps the rest. Takes over the buffer. */
  private void cut(ChannelHandlerContext ctx, ByteBuf in) {
    cutting = true;
    try {
      boolean goesOn = true;
      while (goesOn && in.isReadable() && !refusing) {
        goesOn = step(ctx, in);
      }
      if (in.isReadable() && !refusing) {
        kept = memory.room(in.readableBytes()).writeBytes(in);
      }
    } finally {
      cutting = false;
      lent = null;
      in.release();
    }
  }

  /** False if it must wait: for its turn, for room, or for more bytes at once. */
  private boolean step(ChannelHandlerContext ctx, ByteBuf in) {
    if (header == null) {
      return !held && readHead(ctx, in);
    }
    if (body == null) {
      return letIn(ctx, in);
    }
    if (bodyFilled < body.length) {
      int count = Math.min(in.readableBytes(), body.length - bodyFilled);
      in.readBytes(body, bodyFilled, count);
      bodyFilled += count;
    } else {
      payload.writeBytes(in, Math.min(in.readableBytes(), payload.writableBytes()));
    }
    emitIfWhole(ctx);
    return true;
  }

  /** Reads of the head what is there, and checks it once it is whole. False if it was refused. */
  private boolean readHead(ChannelHandlerContext ctx, ByteBuf in) {
    int count = Math.min(in.readableBytes(), head.length - headFilled);
    in.readBytes(head, headFilled, count);
    headFilled += count;
    if (headFilled < head.length) {
      return true;
    }
    try {
      FrameHeader decoded = FrameHeader.decode(ByteBuffer.wrap(head), limits);
      checkCounter(decoded.counter());
      header = decoded;
    } catch (WeftException e) {
      refuseAll(ctx, e);
      return false;
    }
    if (letIn(ctx, in)) {
      emitIfWhole(ctx);
    }
    return !refusing;
  }

  /** False if what is there behind the head does not do yet, or there is no room for the rest. */
  private boolean letIn(ChannelHandlerContext ctx, ByteBuf in) {
    int restBytes = header.bodyBytes() + header.payloadBytes();
    return in.readableBytes() >= room.proofBytes(restBytes) && room.ask(restBytes) && makeRoom(ctx);
  }

  /** False if the frame was refused, since there is no memory. */
  private boolean makeRoom(ChannelHandlerContext ctx) {
    try {
      payload = allocate(header.payloadBytes());
      body = new byte[header.bodyBytes()];
      bodyFilled = 0;
      return true;
    } catch (WeftException e) {
      refuseAll(ctx, e);
      return false;
    }
  }

  private void checkCounter(long counter) throws WeftException {
    if (Long.compareUnsigned(counter, lastCounter) <= 0) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "frame counter went from "
              + Long.toUnsignedString(lastCounter)
              + " to "
              + Long.toUnsignedString(counter)
              + "; a frame was repeated or came out of order");
    }
    lastCounter = counter;
  }

  private ByteBuf allocate(int bytes) throws WeftException {
    if (bytes == 0) {
      return null;
    }
    try {
      return memory.take(bytes);
    } catch (OutOfMemoryError e) {
      throw new WeftException(
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
    lastPayloadBytes = header.payloadBytes();
    header = null;
    body = null;
    payload = null;
    framesOfTurn++;
    room.arrived();
    ctx.fireChannelRead(frame);
    room.done();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
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
    if (kept != null) {
      kept.release();
      kept = null;
    }
    room.done();
  }
}
