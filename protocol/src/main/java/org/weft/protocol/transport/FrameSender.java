package org.weft.protocol.transport;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.OwnLimits;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.transport.memory.RequestMemory;

/**
 * The way out of one connection: frames leave in order, each with the next counter, and only while
 * the channel takes more. Lives on the connection's event loop.
 */
final class FrameSender {
  private static final Logger LOG = LoggerFactory.getLogger(FrameSender.class);

  /**
   * File ranges up to this size are read behind the frame's head and leave with it. That takes one
   * system call and one wake-up of the other side; sendfile would be another of each. Where memory
   * is short they leave by sendfile all the same.
   */
  private static final int MAX_COPIED_FILE_BYTES = 32 << 10;

  private final Channel channel;
  private final Ticker ticker;
  private final TransportMetrics metrics;
  private final RequestMemory memory;
  private final Deque<OutboundFrame> queue = new ArrayDeque<>();
  private byte[] nonce = new byte[FrameMac.NONCE_BYTES];
  private long counter;
  private int leaving;
  private long spokeNanos;
  private long progressNanos;
  private boolean pumping;
  private boolean closed;

  FrameSender(Channel channel, Wiring wiring) {
    this.channel = channel;
    this.ticker = wiring.ticker();
    this.metrics = wiring.metrics();
    this.memory = wiring.requestMemory();
    this.spokeNanos = ticker.nowNanos();
    this.progressNanos = spokeNanos;
  }

  /** What requests are signed with from now on. */
  void nonce(byte[] agreed) {
    nonce = agreed.clone();
  }

  /** Few bytes of files, and memory to read them into, which is taken with this. */
  private boolean staysInMemory(Payload payload) {
    return payload instanceof FilePayload
        && payload.lengthBytes() <= MAX_COPIED_FILE_BYTES
        && memory.takeIfLeft(payload.lengthBytes());
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

  /** Gives up a frame that still waits: its payload is not kept until the channel takes more. */
  void withdraw(OutboundFrame frame) {
    if (queue.remove(frame)) {
      drop(frame);
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
    List<Object> parts = new ArrayList<>(2);
    int takenBytes = staysInMemory(payload) ? payload.lengthBytes() : 0;
    long frameBytes;
    try {
      frameBytes = addFrame(frame, takenBytes > 0, parts);
    } catch (RuntimeException | OutOfMemoryError e) {
      // Nothing of the frame has left, but the failure would be lost: end the connection instead.
      memory.add(-takenBytes);
      drop(frame);
      channel.pipeline().fireExceptionCaught(e);
      return;
    }
    leaving++;
    spokeNanos = ticker.nowNanos();
    progressNanos = spokeNanos;
    for (int i = 0; i < parts.size(); i++) {
      ChannelFuture written = channel.write(parts.get(i));
      written.addListener(this::closeOnFailure);
      if (i == parts.size() - 1) {
        written.addListener(done -> left(frame, payload, frameBytes, takenBytes, done.cause()));
      }
    }
  }

  private void closeOnFailure(Future<?> written) {
    if (written.isSuccess()) {
      return;
    }
    if (OwnLimits.caused(written.cause())) {
      // The connection is to know that it ends for want of memory here.
      channel.pipeline().fireExceptionCaught(written.cause());
    } else {
      ChannelEnd.now(channel);
    }
  }

  private void left(
      OutboundFrame frame, Payload payload, long frameBytes, int takenBytes, Throwable failure) {
    boolean sent = failure == null;
    if (payload instanceof FilePayload file && takenBytes == 0 && mayBeOfFile(failure)) {
      LOG.debug("{}: ended, bytes of a file could not be sent", channel, failure);
      file.transferFailed();
    }
    leaving--;
    memory.add(-takenBytes);
    progressNanos = ticker.nowNanos();
    if (sent) {
      metrics.sent(frameBytes);
    }
    payload.release();
    frame.finished(sent);
  }

  /** What the system says of sendfile is of the file or of the socket; some of it tells which. */
  private static boolean mayBeOfFile(Throwable failure) {
    return failure instanceof IOException
        && !(failure instanceof ClosedChannelException)
        && !(failure instanceof SocketException);
  }

  /** Adds what the channel is to write, and says how many bytes it is. */
  private long addFrame(OutboundFrame frame, boolean together, List<Object> parts) {
    Payload payload = frame.payload();
    int payloadBytes = payload.lengthBytes();
    if (together && payload instanceof FilePayload file) {
      ByteBuf whole = encode(frame, payloadBytes, payloadBytes);
      parts.add(withBytes(whole, file));
      return whole.readableBytes();
    }
    addParts(payload, parts);
    ByteBuf head = encode(frame, payloadBytes, 0);
    parts.add(0, head);
    return head.readableBytes() + (long) payloadBytes;
  }

  private static ByteBuf withBytes(ByteBuf head, FilePayload file) {
    int start = head.writerIndex();
    try {
      try {
        addRanges(head, file);
      } catch (IOException e) {
        // Nothing has left: its maker may know what to send in place of what cannot be read.
        LOG.debug("bytes of a file could not be read to be sent", e);
        head.writerIndex(start);
        file.buffers().forEach(bytes -> head.writeBytes(bytes.duplicate()));
      }
      if (head.isWritable()) {
        throw new IllegalStateException(
            "a payload lacks " + head.writableBytes() + " of " + file.lengthBytes() + " bytes");
      }
      return head;
    } catch (RuntimeException e) {
      head.release();
      throw e;
    }
  }

  private static void addRanges(ByteBuf head, FilePayload file) throws IOException {
    for (FilePayload.Range range : file.ranges()) {
      long offset = range.offsetBytes();
      long end = offset + range.lengthBytes();
      while (offset < end) {
        int count = head.writeBytes(range.channel(), offset, (int) (end - offset));
        if (count < 0) {
          throw new EOFException("a file ends at " + offset + ", before byte " + end);
        }
        offset += count;
      }
    }
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

  /** The frame's head and body, with room for so many bytes behind them. */
  private ByteBuf encode(OutboundFrame frame, int payloadBytes, int roomBytes) {
    counter++;
    MessageLite body = frame.body(nonce, counter);
    int bodyBytes = body.getSerializedSize();
    FrameHeader header =
        new FrameHeader(
            frame.kind(),
            frame.opcodeNumber(),
            frame.flags(),
            frame.requestId(),
            counter,
            frame.deadlineMillis(),
            bodyBytes,
            payloadBytes);
    int bytes = FrameHeader.BYTES + bodyBytes;
    ByteBuf out = channel.alloc().directBuffer(bytes + roomBytes, bytes + roomBytes);
    try {
      ByteBuffer target = out.nioBuffer(0, bytes);
      header.encode(target);
      ByteBuffer bodyTarget = target.slice();
      writeBody(body, bodyTarget.duplicate());
      frame
          .mac(nonce, target.duplicate().flip(), bodyTarget)
          .ifPresent(mac -> target.put(FrameHeader.MAC_OFFSET, mac));
      return out.writerIndex(bytes);
    } catch (RuntimeException | OutOfMemoryError e) {
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
