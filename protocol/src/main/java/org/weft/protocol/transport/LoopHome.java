package org.weft.protocol.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/** An event loop as the home of a state machine. What a task throws is logged, as elsewhere. */
final class LoopHome implements OwnedExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(LoopHome.class);
  private static final long MAX_END_SECONDS = 60;

  private final EventLoop loop;
  private volatile boolean closed;

  LoopHome(EventLoop loop) {
    this.loop = loop;
  }

  /** The loops to choose from for a connection of that home: its own, if it is one of these. */
  static EventLoopGroup among(EventLoops all, EventLoopGroup usual, Executor home) {
    return home instanceof LoopHome ours && ours.loop.parent() == all.group() ? ours.loop : usual;
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("this home has ended");
    }
    loop.execute(() -> run(task));
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a task on an event loop failed", e);
    }
  }

  @Override
  public void close() {
    if (loop.inEventLoop()) {
      throw new IllegalStateException("a home cannot be closed from one of its own tasks");
    }
    closed = true;
    try {
      if (!loop.submit(() -> {}).awaitUninterruptibly(MAX_END_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("tasks of an event loop still run after {} s", MAX_END_SECONDS);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("the event loop has ended, and all tasks with it: {}", e.getMessage());
    }
  }
}
