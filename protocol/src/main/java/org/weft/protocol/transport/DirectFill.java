package org.weft.protocol.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Lets the socket be read into the memory of a payload that is arriving. So large payloads come in
 * few system calls and are not copied. Between payloads it works like Netty's own adaptive
 * allocator, but reads little where the decoder says that a large payload is likely to follow.
 *
 * <p>Only for a decoder that sits right on the socket: a TLS handler in between would be given the
 * payload's memory for its records. Used by the event loop of its channel.
 */
public final class DirectFill implements RecvByteBufAllocator {
  /** A decoder that lends the socket its memory. Called on the event loop of its channel. */
  public interface Lender {
    /**
     * Memory of an arriving payload that the socket may be read into next. Null if the socket
     * should be read into a buffer of its own. The caller gives back exactly this buffer, as a
     * message of the pipeline or by releasing it.
     */
    ByteBuf lend();

    /** How many bytes should be read into a buffer of its own at most. */
    default int mostBytes() {
      return Integer.MAX_VALUE;
    }

    /** True if the socket should not be read any more before other connections had their turn. */
    default boolean hadItsTurn() {
      return false;
    }

    /** Its turn is over. */
    default void turnEnds() {}
  }

  private final Lender lender;
  private final AdaptiveRecvByteBufAllocator adaptive;

  /** Buffers of their own are as large as Netty's usual ones. */
  DirectFill(Lender lender) {
    this(lender, new AdaptiveRecvByteBufAllocator());
  }

  /**
   * @param adaptive how large buffers of their own are
   */
  public DirectFill(Lender lender, AdaptiveRecvByteBufAllocator adaptive) {
    this.lender = lender;
    this.adaptive = adaptive;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new FillHandle(lender, (ExtendedHandle) adaptive.newHandle());
  }

  /** What is not overridden is the adaptive allocator's. */
  private static final class FillHandle extends DelegatingHandle implements ExtendedHandle {
    private final Lender lender;
    private final ExtendedHandle adaptive;

    FillHandle(Lender lender, ExtendedHandle adaptive) {
      super(adaptive);
      this.lender = lender;
      this.adaptive = adaptive;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf lent = lender.lend();
      return lent != null
          ? lent
          : allocator.ioBuffer(Math.min(adaptive.guess(), lender.mostBytes()));
    }

    @Override
    public boolean continueReading() {
      return !lender.hadItsTurn() && adaptive.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return !lender.hadItsTurn() && adaptive.continueReading(maybeMoreData);
    }

    @Override
    public void readComplete() {
      lender.turnEnds();
      adaptive.readComplete();
    }
  }
}
