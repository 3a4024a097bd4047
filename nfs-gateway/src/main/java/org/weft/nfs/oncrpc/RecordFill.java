package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
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
  private record FillHandle(RecordDecoder decoder, ExtendedHandle adaptive)
      implements ExtendedHandle {
    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf lent = decoder.lend();
      return lent != null ? lent : adaptive.allocate(allocator);
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
      return adaptive.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return adaptive.continueReading(maybeMoreData);
    }

    @Override
    public void readComplete() {
      adaptive.readComplete();
    }
  }
}
