package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Lets the socket be read into the memory of the payload that is under way, so that large payloads
 * arrive in few system calls and are not copied. Between payloads it works like Netty's own
 * adaptive allocator, but reads little where a large payload is likely to follow.
 *
 * <p>Only for a decoder that sits right on the socket: a TLS handler in between would be given the
 * payload's memory for its records.
 */
final class DirectFill implements RecvByteBufAllocator {
  private final FrameDecoder decoder;
  private final AdaptiveRecvByteBufAllocator adaptive = new AdaptiveRecvByteBufAllocator();

  DirectFill(FrameDecoder decoder) {
    this.decoder = decoder;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new FillHandle(decoder, (ExtendedHandle) adaptive.newHandle());
  }

  /** Everything but {@link #allocate} is the adaptive allocator's. */
  private record FillHandle(FrameDecoder decoder, ExtendedHandle adaptive)
      implements ExtendedHandle {
    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf lent = decoder.lend();
      return lent != null
          ? lent
          : allocator.ioBuffer(Math.min(adaptive.guess(), decoder.mostBytes()));
    }

    @Override
    public int guess() {
      return adaptive.guess();
    }

    @Override
    public void reset(ChannelConfig config) {
      adaptive.reset(config);
    }

    @Override
    public void incMessagesRead(int count) {
      adaptive.incMessagesRead(count);
    }

    @Override
    public void lastBytesRead(int bytes) {
      adaptive.lastBytesRead(bytes);
    }

    @Override
    public int lastBytesRead() {
      return adaptive.lastBytesRead();
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      adaptive.attemptedBytesRead(bytes);
    }

    @Override
    public int attemptedBytesRead() {
      return adaptive.attemptedBytesRead();
    }

    @Override
    public boolean continueReading() {
      return !decoder.hadItsTurn() && adaptive.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return !decoder.hadItsTurn() && adaptive.continueReading(maybeMoreData);
    }

    @Override
    public void readComplete() {
      decoder.turnEnds();
      adaptive.readComplete();
    }
  }
}
