package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.frame.FrameKind;

/** Ends connections. That it has worked is seen where a channel's end is listened to. */
final class ChannelEnd {
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private ChannelEnd() {}

  /** At once. */
  static void now(Channel channel) {
    var unused = channel.close();
  }

  /**
   * With a last word. If the channel closed at once while bytes of the other side are unread, the
   * connection would be reset. That could destroy the last word on its way. So only our half is
   * closed, and what still comes is thrown away. The rest is closed when the other side closes too,
   * or when a second has passed.
   */
  static void with(PlainFrame lastWord, Channel channel, FrameSender sender, Wiring wiring) {
    channel.pipeline().get(FrameDecoder.class).refuseAll();
    channel.config().setAutoRead(true);
    sender.offer(new LastWord(lastWord, channel));
    sender.pump();
    wiring.scheduler().schedule(LINGER_NANOS, channel.eventLoop(), () -> now(channel));
  }

  /** The frame after which our half is closed. */
  private record LastWord(PlainFrame frame, Channel channel) implements OutboundFrame {
    @Override
    public FrameKind kind() {
      return frame.kind();
    }

    @Override
    public int opcodeNumber() {
      return frame.opcodeNumber();
    }

    @Override
    public long requestId() {
      return frame.requestId();
    }

    @Override
    public MessageLite body(byte[] nonce, long counter) {
      return frame.message();
    }

    @Override
    public void finished(boolean sent) {
      if (sent && channel instanceof DuplexChannel duplex) {
        var unused = duplex.shutdownOutput().addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
      } else {
        now(channel);
      }
    }
  }
}
