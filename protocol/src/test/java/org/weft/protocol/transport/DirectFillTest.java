package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.transport.memory.PayloadMemory;

/** What of a stream is read into memory that it has to be copied out of. */
class DirectFillTest {
  private static final int BODY_BYTES = 100;

  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
  private final UnpooledByteBufAllocator receiving = new UnpooledByteBufAllocator(true);
  private final FrameDecoder decoder =
      new FrameDecoder(TransportMetrics.NONE, new PayloadMemory(memory, 0));
  private final RecvByteBufAllocator.ExtendedHandle handle = new DirectFill(decoder).newHandle();
  private EmbeddedChannel channel;
  private long counter;
  private long copiedBytes;
  private int reads;

  @BeforeEach
  void open() {
    decoder.limit(new FrameLimits(1_000, 1 << 20));
    channel = new EmbeddedChannel();
    channel.config().setAllocator(memory);
    channel
        .pipeline()
        .addLast(
            decoder,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                ((InboundFrame) message).payload().release();
              }
            });
    handle.reset(channel.config());
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    channel.checkException();
    assertEquals(0, memory.metric().usedDirectMemory());
    assertEquals(0, receiving.metric().usedDirectMemory());
  }

  @Test
  void largePayloadsAreHardlyCopied() {
    receive(256 << 10, 2);
    clear();
    int frames = 8;
    receive(64 << 10, frames);
    assertTrue(copiedBytes <= frames * (2L << 10), () -> copiedBytes + " bytes were copied");
    assertTrue(reads <= 2 * frames, () -> reads + " reads");
  }

  @Test
  void manySmallFramesAreReadAtOnce() {
    receive(256 << 10, 2);
    receive(1_000, 50);
    clear();
    receive(1_000, 400);
    assertTrue(reads <= 20, () -> reads + " reads");
  }

  /** A socket can be read into direct memory alone. */
  @Test
  void heapMemoryIsNotLent() {
    FrameDecoder decoderOfHeap =
        new FrameDecoder(TransportMetrics.NONE, new PayloadMemory(memory, 0, () -> -1));
    decoderOfHeap.limit(new FrameLimits(1_000, 1 << 20));
    List<Payload> payloads = new ArrayList<>();
    EmbeddedChannel other =
        new EmbeddedChannel(
            decoderOfHeap,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                payloads.add(((InboundFrame) message).payload());
              }
            });
    byte[] payload = new byte[256 << 10];
    Arrays.fill(payload, (byte) 7);
    FrameHeader header =
        new FrameHeader(FrameKind.RESPONSE, 0, 0, 1, 1, 0, BODY_BYTES, payload.length);
    byte[] frame = new SentFrame(header, new byte[BODY_BYTES], payload).bytes();
    int at = FrameHeader.BYTES + BODY_BYTES + 1;
    other.pipeline().fireChannelRead(Unpooled.copiedBuffer(frame, 0, at));
    assertNull(decoderOfHeap.lend());
    other.pipeline().fireChannelRead(Unpooled.copiedBuffer(frame, at, frame.length - at));
    assertEquals(1, payloads.size());
    assertEquals(List.of(ByteBuffer.wrap(payload)), payloads.get(0).buffers());
    payloads.get(0).release();
    other.finishAndReleaseAll();
    other.checkException();
  }

  private void clear() {
    copiedBytes = 0;
    reads = 0;
  }

  /** So many frames that are all there already, as a socket would be read. */
  private void receive(int payloadBytes, int frames) {
    ByteBuf socket = Unpooled.buffer();
    for (int i = 0; i < frames; i++) {
      FrameHeader header =
          new FrameHeader(FrameKind.RESPONSE, 0, 0, i + 1L, ++counter, 0, BODY_BYTES, payloadBytes);
      socket.writeBytes(
          new SentFrame(header, new byte[BODY_BYTES], new byte[payloadBytes]).bytes());
    }
    while (socket.isReadable()) {
      ByteBuf in = handle.allocate(receiving);
      int count = Math.min(in.writableBytes(), socket.readableBytes());
      handle.attemptedBytesRead(in.writableBytes());
      handle.lastBytesRead(count);
      reads++;
      if (in.alloc() == receiving) {
        copiedBytes += count;
      }
      channel.pipeline().fireChannelRead(in.writeBytes(socket, count));
    }
    handle.readComplete();
  }
}
