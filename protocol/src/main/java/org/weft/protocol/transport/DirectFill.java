package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
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

  /** What is not overridden is the adaptive allocator's. */
  private static final class FillHandle extends DelegatingHandle implements ExtendedHandle {
    private final FrameDecoder decoder;
    private final ExtendedHandle adaptive;

    FillHandle(FrameDecoder decoder, ExtendedHandle adaptive) {
      super(adaptive);
      this.decoder = decoder;
      this.adaptive = adaptive;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf lent = decoder.lend();
      return lent != null
          ? lent
          : allocator.ioBuffer(Math.min(adaptive.guess(), decoder.mostBytes()));
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
