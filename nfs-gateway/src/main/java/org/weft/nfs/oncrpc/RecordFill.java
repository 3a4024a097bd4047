package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Lets the socket be read into the record that is under way, so that what is written arrives in few
 * system calls and is not copied. Otherwise it works like Netty's own adaptive allocator. Only for
 * a decoder that sits right on the socket.
 */
final class RecordFill implements RecvByteBufAllocator {
  private static final int LEAST_BYTES = 1 << 10;
  private static final int FIRST_BYTES = 4 << 10;

  /** A connection that may read no more keeps as much at most. */
  private static final int MOST_BYTES = 32 << 10;

  private final RecordDecoder decoder;
  private final AdaptiveRecvByteBufAllocator adaptive =
      new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, MOST_BYTES);

  RecordFill(RecordDecoder decoder) {
    this.decoder = decoder;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new FillHandle(decoder, (ExtendedHandle) adaptive.newHandle());
  }

  /** Everything but {@link #allocate} is the adaptive allocator's. */
  private static final class FillHandle extends DelegatingHandle implements ExtendedHandle {
    private final RecordDecoder decoder;
    private final ExtendedHandle adaptive;

    FillHandle(RecordDecoder decoder, ExtendedHandle adaptive) {
      super(adaptive);
      this.decoder = decoder;
      this.adaptive = adaptive;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf lent = decoder.lend();
      return lent != null ? lent : adaptive.allocate(allocator);
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return adaptive.continueReading(maybeMoreData);
    }
  }
}
