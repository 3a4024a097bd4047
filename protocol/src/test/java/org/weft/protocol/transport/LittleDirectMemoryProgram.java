package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameLimits;
import org.weft.protocol.transport.memory.DirectMemory;
import org.weft.protocol.transport.memory.PayloadMemory;

/**
 * Decodes frames whose payloads stay in use, more of them than there is direct memory, in a JVM of
 * its own. Prints how many arrived, how many were refused, and how often the whole heap was
 * collected, as the JVM does while an allocation of direct memory waits.
 */
final class LittleDirectMemoryProgram {
  private static final int PAYLOAD_BYTES = 1 << 20;
  private static final int FRAMES = 48;
  private static final int BLOCK_BYTES = 1 << 20;

  /** Of direct memory, when the frames come. */
  private static final long LEFT_BYTES = 24L << 20;

  private static int arrived;
  private static int refused;

  private LittleDirectMemoryProgram() {}

  public static void main(String[] args) {
    List<ByteBuffer> held = new ArrayList<>();
    while (DirectMemory.leftBytes() > LEFT_BYTES) {
      held.add(ByteBuffer.allocateDirect(BLOCK_BYTES));
    }
    // As a transport of two event loops has it.
    PooledByteBufAllocator allocator =
        new PooledByteBufAllocator(true, 0, 2, 8_192, 10, 256, 16, false);
    FrameDecoder decoder = new FrameDecoder(TransportMetrics.NONE, new PayloadMemory(allocator, 0));
    decoder.limit(new FrameLimits(1_000, PAYLOAD_BYTES));
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setAllocator(allocator);
    List<InboundFrame> inUse = new ArrayList<>();
    channel.pipeline().addLast(decoder, collector(inUse));
    long before = wholeCollections();
    for (int number = 1; number <= FRAMES; number++) {
      channel.pipeline().fireChannelRead(frame(number));
    }
    channel.checkException();
    System.out.println("arrived " + arrived);
    System.out.println("refused " + refused);
    System.out.println("collections " + (wholeCollections() - before));
    System.out.println("held " + held.size() + " " + inUse.size());
  }

  private static ChannelInboundHandlerAdapter collector(List<InboundFrame> inUse) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        inUse.add((InboundFrame) message);
        arrived++;
      }

      @Override
      public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        refused++;
      }
    };
  }

  private static ByteBuf frame(long number) {
    FrameHeader header =
        new FrameHeader(FrameKind.RESPONSE, 0, 0, number, number, 0, 0, PAYLOAD_BYTES);
    return Unpooled.wrappedBuffer(
        new SentFrame(header, new byte[0], new byte[PAYLOAD_BYTES]).bytes());
  }

  private static long wholeCollections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(collector -> collector.getName().equals("MarkSweepCompact"))
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
