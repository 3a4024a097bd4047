package org.weft.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The loops of a group, taken in turn by one kind of channels alone. A connection to a process of
 * the same machine takes two channels, one after the other. In one common round all the second
 * channels, which carry everything, would meet on the same loop. The group beneath is its owner's
 * to shut down.
 */
final class LoopRound extends AbstractEventExecutorGroup implements EventLoopGroup {
  private final EventLoopGroup group;
  private final List<EventLoop> loops = new ArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  LoopRound(EventLoopGroup group) {
    this.group = group;
    for (EventExecutor each : group) {
      loops.add((EventLoop) each);
    }
  }

  @Override
  public EventLoop next() {
    return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
  }

  @Override
  public Iterator<EventExecutor> iterator() {
    return group.iterator();
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return next().register(channel);
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    return next().register(promise);
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return next().register(channel, promise);
  }

  @Override
  public boolean isShuttingDown() {
    return group.isShuttingDown();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    throw notOurs();
  }

  @Override
  @Deprecated
  public void shutdown() {
    throw notOurs();
  }

  private static UnsupportedOperationException notOurs() {
    return new UnsupportedOperationException("the group beneath is shut down by its starter");
  }

  @Override
  public Future<?> terminationFuture() {
    return group.terminationFuture();
  }

  @Override
  public boolean isShutdown() {
    return group.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return group.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return group.awaitTermination(timeout, unit);
  }
}
