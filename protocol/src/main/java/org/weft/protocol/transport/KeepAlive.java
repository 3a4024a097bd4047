package org.weft.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Finds connections whose other end is gone without a word: pulled cables, stopped processes. A
 * side with nothing to say sends a PING now and then. A side that hears nothing for three times as
 * long, or whose frames do not leave, ends the connection.
 *
 * <p>PINGs are not answered, and a server whose reading is paused by back-pressure still sends
 * them. So a slow service is never taken for a dead one. A client that reads nothing is ended
 * although it speaks, since the file ranges on their way to it are pinned (P 5.2).
 */
final class KeepAlive extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(KeepAlive.class);
  private static final int PATIENCE = 3;

  private final Channel channel;
  private final FrameSender sender;
  private final Scheduler scheduler;
  private final Ticker ticker;
  private final long intervalNanos;
  private final boolean server;
  // Set on the event loop for each piece that comes; read anywhere.
  private final AtomicLong heardNanos;
  private Scheduler.Timer timer;

  KeepAlive(Channel channel, FrameSender sender, Wiring wiring, boolean server) {
    this.channel = channel;
    this.sender = sender;
    this.scheduler = wiring.scheduler();
    this.ticker = wiring.ticker();
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(wiring.options().keepAliveMillis());
    this.server = server;
    this.heardNanos = new AtomicLong(ticker.nowNanos());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    heardNanos.setOpaque(ticker.nowNanos());
    arm();
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    heardNanos.setOpaque(ticker.nowNanos());
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    timer.cancel();
    ctx.fireChannelInactive();
  }

  /** When the last bytes came, by the ticker. Any thread. */
  long heardNanos() {
    return heardNanos.getOpaque();
  }

  private void arm() {
    timer = scheduler.schedule(intervalNanos, channel.eventLoop(), this::look);
  }

  private void look() {
    if (!channel.isOpen()) {
      return;
    }
    arm();
    long now = ticker.nowNanos();
    boolean listening = channel.config().isAutoRead();
    boolean deaf = now - heardNanos.getOpaque() > PATIENCE * intervalNanos;
    boolean stuck = sender.busy() && now - sender.progressNanos() > PATIENCE * intervalNanos;
    if ((deaf && (listening || stuck)) || (stuck && server)) {
      LOG.info(
          "{}: ended, {} for {} s",
          channel.remoteAddress(),
          deaf ? "nothing heard" : "nothing taken",
          TimeUnit.NANOSECONDS.toSeconds(PATIENCE * intervalNanos));
      ChannelEnd.now(channel);
      return;
    }
    if (!sender.busy() && now - sender.spokeNanos() >= intervalNanos) {
      sender.offer(PlainFrame.ping());
      sender.pump();
    }
  }
}
