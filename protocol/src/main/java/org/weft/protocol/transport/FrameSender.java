package org.weft.protocol.transport;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Ticker;

/**
 * The way out of one connection: frames leave in order, each with the next counter, and only while
 * the channel takes more. Lives on the connection's event loop.
 */
final class FrameSender {
  private final Channel channel;
  private final Ticker ticker;
  private final TransportMetrics metrics;
  private final Deque<OutboundFrame> queue = new ArrayDeque<>();
  private byte[] nonce = new byte[FrameMac.NONCE_BYTES];
  private long counter;
  private int leaving;
  private long spokeNanos;
  private long progressNanos;
  private boolean pumping;
  private boolean closed;

  FrameSender(Channel channel, Ticker ticker, TransportMetrics metrics) {
    this.channel = channel;
    this.ticker = ticker;
    this.metrics = metrics;
    this.spokeNanos = ticker.nowNanos();
    this.progressNanos = spokeNanos;
  }

  /** What requests are signed with from now on. */
  void nonce(byte[] agreed) {
    nonce = agreed.clone();
  }

  /** Frames that wait for their turn. */
  int waiting() {
    return queue.size();
  }

  /** True if frames wait or are on their way into the socket. */
  boolean busy() {
    return leaving > 0 || !queue.isEmpty();
  }

  /** When a frame last began to leave. */
  long spokeNanos() {
    return spokeNanos;
  }

  /** When a frame last began or ended to leave. */
  long progressNanos() {
    return progressNanos;
  }

  /** Puts the frame behind the others; {@link #pump} sends it. */
  void offer(OutboundFrame frame) {
    if (closed) {
      drop(frame);
    } else {
      queue.add(frame);
    }
  }

  /** Sends what the channel takes now. */
  void pump() {
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      while (channel.isWritable() && !queue.isEmpty()) {
        while (channel.isWritable() && !queue.isEmpty()) {
          send(queue.poll());
        }
        channel.flush();
      }
    } finally {
      pumping = false;
    }
  }

  /** Gives up all that waits, and whatever comes later. */
  void close() {
    closed = true;
    for (OutboundFrame frame = queue.poll(); frame != null; frame = queue.poll()) {
      drop(frame);
    }
  }

  /** Gives up a frame that was never begun. */
  static void drop(OutboundFrame frame) {
    frame.payload().release();
    frame.finished(false);
  }

  private void send(OutboundFrame frame) {
    if (!frame.wanted()) {
      drop(frame);
      return;
    }
    Payload payload = frame.payload();
    int payloadBytes = payload.lengthBytes();
    List<Object> parts = new ArrayList<>(2);
    ByteBuf head;
    try {
      addParts(payload, parts);
      head = encode(frame, payloadBytes);
    } catch (RuntimeException e) {
      // Nothing of the frame has left, but nobody would ever hear of it: end the connection
      // instead.
      drop(frame);
      channel.pipeline().fireExceptionCaught(e);
      return;
    }
    long frameBytes = head.readableBytes() + (long) payloadBytes;
    parts.add(0, head);
    leaving++;
    spokeNanos = ticker.nowNanos();
    progressNanos = spokeNanos;
    for (int i = 0; i < parts.size(); i++) {
      ChannelFuture written = channel.write(parts.get(i));
      written.addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
      if (i == parts.size() - 1) {
        written.addListener(done -> left(frame, payload, frameBytes, done.isSuccess()));
      }
    }
  }

  private void left(OutboundFrame frame, Payload payload, long frameBytes, boolean sent) {
    leaving--;
    progressNanos = ticker.nowNanos();
    if (sent) {
      metrics.sent(frameBytes);
    }
    payload.release();
    frame.finished(sent);
  }

  private static void addParts(Payload payload, List<Object> parts) {
    long bytes = 0;
    if (payload instanceof FilePayload file) {
      for (FilePayload.Range range : file.ranges()) {
        if (range.lengthBytes() > 0) {
          parts.add(new PinnedFileRegion(range));
          bytes += range.lengthBytes();
        }
      }
    } else if (payload.lengthBytes() > 0) {
      for (ByteBuffer buffer : payload.buffers()) {
        if (buffer.hasRemaining()) {
          parts.add(Unpooled.wrappedBuffer(buffer));
          bytes += buffer.remaining();
        }
      }
    }
    if (bytes != payload.lengthBytes()) {
      throw new IllegalStateException(
          "a payload says " + payload.lengthBytes() + " bytes and has " + bytes);
    }
  }

  private ByteBuf encode(OutboundFrame frame, int payloadBytes) {
    counter++;
    MessageLite body = frame.body(nonce, counter);
    int bodyBytes = body.getSerializedSize();
    FrameHeader header =
        new FrameHeader(
            frame.kind(),
            frame.opcodeNumber(),
            0,
            frame.requestId(),
            counter,
            frame.deadlineMillis(),
            bodyBytes,
            payloadBytes);
    int bytes = FrameHeader.BYTES + bodyBytes;
    ByteBuf out = channel.alloc().directBuffer(bytes, bytes);
    try {
      ByteBuffer target = out.nioBuffer(0, bytes);
      header.encode(target);
      ByteBuffer bodyTarget = target.slice();
      writeBody(body, bodyTarget.duplicate());
      if (frame.secret() != null) {
        target.put(
            FrameHeader.MAC_OFFSET,
            FrameMac.ofFrame(frame.secret(), nonce, target.duplicate().flip(), bodyTarget));
      }
      return out.writerIndex(bytes);
    } catch (RuntimeException e) {
      out.release();
      throw e;
    }
  }

  private static void writeBody(MessageLite body, ByteBuffer target) {
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(target);
      body.writeTo(out);
      out.flush();
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("a message did not fit its own size", e);
    }
  }
}
