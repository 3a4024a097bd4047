package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.transport.DirectFill;

/**
 * Puts records together (RFC 5531 section 11). A fragment has a mark of four bytes in front:
 *
 * <pre>
 *  bit 31: the last one of its record | bits 30 to 0: bytes that follow
 * </pre>
 *
 * <p>Where the sink has no room the decoder stops. It keeps what one read of the socket brought,
 * and reads nothing more until it is resumed. Large fragments are read from the socket right into
 * the record's memory, by {@link DirectFill}.
 */
final class RecordDecoder extends ChannelInboundHandlerAdapter implements DirectFill.Lender {
  private static final int MARK_BYTES = 4;

  /** Less is not worth a read of its own. */
  private static final int MIN_LENT_BYTES = 16 << 10;

  private static final int MIN_READ_BYTES = 1 << 10;
  private static final int FIRST_READ_BYTES = 4 << 10;

  /** A connection that may read no more keeps as much at most. */
  private static final int MAX_READ_BYTES = 32 << 10;

  private final RecordSink sink;
  private final int mostRecordBytes;
  private final Ticker ticker;

  private ChannelHandlerContext ctx;

  /** Came from the socket and was not looked at. */
  private ByteBuf rest;

  private int mark;
  private int markBytes;

  /** The mark was read and memory is there. */
  private boolean begun;

  private boolean last;
  private int leftBytes;
  private ByteBuf record;
  private int takenBytes;
  private ByteBuf lent;
  private long sinceNanos;
  private boolean waiting;
  private boolean decoding;
  private boolean ended;

  RecordDecoder(RecordSink sink, int mostRecordBytes, Ticker ticker) {
    this.sink = sink;
    this.mostRecordBytes = mostRecordBytes;
    this.ticker = ticker;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (ended) {
      bytes.release();
      return;
    }
    if (bytes == lent) {
      int count = bytes.readableBytes();
      bytes.release();
      record.writerIndex(record.writerIndex() + count);
      leftBytes -= count;
      lent = null;
    } else {
      keep(bytes);
    }
    decode();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end();
    context.fireChannelInactive();
  }

  /** What the socket of its channel is to be read into. */
  RecvByteBufAllocator allocator() {
    return new DirectFill(
        this, new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, MAX_READ_BYTES));
  }

  /** Memory of the fragment under way. */
  @Override
  public ByteBuf lend() {
    if (ended || !begun || leftBytes < MIN_LENT_BYTES || rest != null) {
      return null;
    }
    lent = record.retainedSlice(record.writerIndex(), leftBytes).writerIndex(0);
    return lent;
  }

  /** There may be room now. */
  void resume() {
    if (!waiting || ended) {
      return;
    }
    waiting = false;
    if (record == null) {
      sinceNanos = ticker.nowNanos();
    }
    decode();
    if (!waiting && !ended) {
      ctx.channel().config().setAutoRead(true);
    }
  }

  /**
   * How long a part of a record has been there without the rest; 0 if there is none. A record that
   * waits for room in its midst counts: it holds memory, and those that hold it could wait for each
   * other for ever. One that waits for room for its first fragment holds nothing.
   */
  long partialNanos(long nowNanos) {
    boolean isPartial = record != null || markBytes > 0 && !waiting;
    return isPartial ? nowNanos - sinceNanos : 0;
  }

  /** All that came was handed over, and what comes now is read. */
  boolean isAtRest() {
    return record == null && rest == null && markBytes == 0 && !waiting;
  }

  private void keep(ByteBuf bytes) {
    if (rest == null) {
      rest = bytes;
    } else {
      // Only where the socket was read once more after the stop.
      ByteBuf both = ctx.alloc().directBuffer(rest.readableBytes() + bytes.readableBytes());
      both.writeBytes(rest).writeBytes(bytes);
      rest.release();
      bytes.release();
      rest = both;
    }
  }

  private void decode() {
    if (decoding) {
      return;
    }
    decoding = true;
    try {
      boolean more = true;
      while (more && !ended) {
        more = begun ? fill() : begin();
      }
    } finally {
      decoding = false;
    }
    if (rest != null && (ended || !rest.isReadable())) {
      rest.release();
      rest = null;
    }
  }

  /** Reads the mark, and begins the fragment if there is room. */
  private boolean begin() {
    while (markBytes < MARK_BYTES && rest != null && rest.isReadable()) {
      if (markBytes == 0 && record == null) {
        sinceNanos = ticker.nowNanos();
      }
      mark = mark << 8 | rest.readUnsignedByte();
      markBytes++;
    }
    if (markBytes < MARK_BYTES) {
      return false;
    }
    last = mark < 0;
    int bytes = mark & Integer.MAX_VALUE;
    if (bytes > mostRecordBytes - takenBytes) {
      fail("a record of more than " + mostRecordBytes + " bytes");
      return false;
    }
    if (bytes == 0 && !last) {
      fail("an empty fragment");
      return false;
    }
    if (!sink.take(bytes, record == null)) {
      waiting = true;
      ctx.channel().config().setAutoRead(false);
      return false;
    }
    takenBytes += bytes;
    if (record == null) {
      record = ctx.alloc().directBuffer(bytes, Math.max(1, mostRecordBytes));
    } else {
      record.ensureWritable(bytes);
    }
    leftBytes = bytes;
    begun = true;
    return true;
  }

  private boolean fill() {
    if (leftBytes > 0) {
      if (rest == null || !rest.isReadable()) {
        return false;
      }
      int count = Math.min(leftBytes, rest.readableBytes());
      record.writeBytes(rest, count);
      leftBytes -= count;
      return true;
    }
    begun = false;
    markBytes = 0;
    if (last) {
      ByteBuf whole = record;
      record = null;
      takenBytes = 0;
      sink.arrived(whole);
    }
    return true;
  }

  private void fail(String why) {
    end();
    sink.malformed(why);
  }

  /** Gives back all that it holds and decodes nothing more. */
  private void end() {
    ended = true;
    if (record != null) {
      record.release();
      record = null;
    }
    if (takenBytes > 0) {
      sink.give(takenBytes);
      takenBytes = 0;
    }
    if (rest != null && !decoding) {
      rest.release();
      rest = null;
    }
  }
}
